"""When one idle connection is found dead, the server was away and the others are dead too. The pool would try
them one by one, with growing pauses, so that requests fail for a while after PostgreSQL was restarted."""

from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg import Connection, Error
from psycopg_pool import ConnectionPool


class Pool(ConnectionPool[Connection[Any]]):
    """Opened by Django on first use; its connections are checked when they are handed out."""

    def __init__(self, **options: Any) -> None:
        super().__init__(open=False, check=self._check_or_drain, **options)

    def _check_or_drain(self, connection: Connection[Any]) -> None:
        try:
            self.check_connection(connection)
        except Error:
            self.drain()
            raise


class DatabaseWrapper(base.DatabaseWrapper):
    _connection_pools: dict[str, Pool]
    _configure_connection: Callable[..., None]

    @property
    def pool(self) -> Any:
        options = self.settings_dict["OPTIONS"].get("pool")
        if self.alias == NO_DB_ALIAS or not options:
            return None
        if self.alias not in self._connection_pools:
            made = Pool(
                kwargs={**self.get_connection_params(), "autocommit": True},
                configure=self._configure_connection,
                **options,
            )
            self._connection_pools.setdefault(self.alias, made)
        return self._connection_pools[self.alias]
