"""Tests: sentences about behaviour, a file per behaviour."""
