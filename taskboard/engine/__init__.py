"""Carries steps out: claim and intent, execution outside any transaction, result."""
