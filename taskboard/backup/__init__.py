"""Backup and restore: the database and the stored files in one file, with a hash of each part."""
