"""Tests of settings, transport, middleware and the start."""
