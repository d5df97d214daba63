"""Static files under ASGI arrive whole and without a warning."""

import asyncio

from django.test import AsyncClient, Client

NAME = "admin/css/base.css"


def test_asgi_sends_the_whole_file() -> None:
    async def fetch() -> bytes:
        response = await AsyncClient().get(f"/static/{NAME}")
        assert response.status_code == 200
        return b"".join([chunk async for chunk in response.streaming_content])

    assert b"--primary" in asyncio.run(fetch())


def test_wsgi_sends_it_too() -> None:
    response = Client().get(f"/static/{NAME}")
    assert b"--primary" in b"".join(response.streaming_content)
