"""Keeping and purging: what has expired, what a purge would remove, the archive, the purge itself."""
