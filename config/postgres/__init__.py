"""Django's PostgreSQL backend with a pool that forgets lost connections all at once."""
