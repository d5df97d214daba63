"""Approvals: asked, decided once, handed over."""
