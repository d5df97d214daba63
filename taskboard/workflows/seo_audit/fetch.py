"""Safe HTTP: only checked addresses, every redirect checked, limits on time and size."""

import time
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

import httpx
from django.utils.translation import gettext as _

from taskboard.workflows.seo_audit.addresses import allowed_addresses
from taskboard.workflows.seo_audit.errors import Unreadable

LARGEST_PAGE = 2 * 1024 * 1024
LARGEST_LIST = 10 * 1024 * 1024
MOST_REDIRECTS = 5
PER_READ = httpx.Timeout(10)
PER_PAGE = 30.0
HEADERS = {"User-Agent": "Taskboard SEO audit", "Accept": "text/html, application/xhtml+xml, */*;q=0.5"}
HTML = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True)
class Answer:
    """What came back, with the address that answered in the end."""

    body: bytes
    url: str
    media_type: str
    charset: str


class Fetcher:
    """Fetches one document at a time; keeps its connections between them."""

    def __init__(self) -> None:
        # No proxy from the environment: it would connect to addresses that were not checked.
        limits = httpx.Limits(max_connections=4, max_keepalive_connections=0)
        self._client = httpx.Client(trust_env=False, timeout=PER_READ, headers=HEADERS, limits=limits)

    def page(self, url: str) -> Answer:
        """An HTML page; raises Unreadable with the reason."""
        answer = self.get(url, LARGEST_PAGE)
        if answer.media_type and answer.media_type not in HTML:
            raise Unreadable(_("it is %(type)s, not HTML") % {"type": answer.media_type[:60]})
        return answer

    def get(self, url: str, largest: int, within: float = PER_PAGE) -> Answer:
        """Any document; raises Unreadable with the reason."""
        deadline = time.monotonic() + within
        for _turn in range(MOST_REDIRECTS + 1):
            answer = self._hop(url, largest, deadline)
            if isinstance(answer, Answer):
                return answer
            url = answer
        raise Unreadable(_("it redirects more than %(count)d times") % {"count": MOST_REDIRECTS})

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def _hop(self, url: str, largest: int, deadline: float) -> Answer | str:
        target = checked_url(url)
        addresses = allowed_addresses(target.host, target.port or (443 if target.scheme == "https" else 80))
        try:
            return self._ask(target, addresses, largest, deadline)
        except httpx.TimeoutException as error:
            raise Unreadable(_("the server did not answer in time")) from error
        except httpx.HTTPError as error:
            raise Unreadable(_in_words(error)) from error

    def _ask(self, target: httpx.URL, addresses: list[str], largest: int, deadline: float) -> Answer | str:
        for turn, address in enumerate(addresses, 1):
            try:
                response = self._send(target, address)
            except httpx.ConnectError:
                if turn == len(addresses):
                    raise
                continue
            try:
                return _read(response, target, largest, deadline)
            finally:
                response.close()
        raise Unreadable(_("the name %(host)s is not known") % {"host": target.host})

    def _send(self, target: httpx.URL, address: str) -> httpx.Response:
        """Connect to the very address that was checked; the certificate is checked against the name."""
        request = self._client.build_request(
            "GET",
            target.copy_with(host=address),
            headers={"Host": target.netloc.decode("ascii"), "Accept-Encoding": "gzip"},
            extensions={"sni_hostname": target.raw_host.decode("ascii")},
        )
        return self._client.send(request, stream=True)


def _in_words(error: httpx.HTTPError) -> str:
    """What went wrong, without the numbers of the operating system."""
    said = str(error).lower()
    if "refused" in said:
        return _("the server refuses the connection")
    if "certificate" in said:
        return _("the certificate of the server cannot be trusted")
    if isinstance(error, httpx.ConnectError):
        return _("the server cannot be reached")
    return _("the connection to the server broke off")


def checked_url(url: str) -> httpx.URL:
    """An http(s) address with a host and without a password; raises Unreadable."""
    try:
        target = httpx.URL(url)
    except (httpx.InvalidURL, ValueError) as error:
        raise Unreadable(_("%(url)s is not an address") % {"url": url[:100]}) from error
    if target.scheme in ("http", "https") and not target.host:
        raise Unreadable(_("the name of the server is missing, as in https://example.org/"))
    if target.scheme not in ("http", "https"):
        raise Unreadable(_("only addresses that begin with http:// or https:// can be read"))
    if target.userinfo:
        raise Unreadable(_("an address with a user name or password in it is not read"))
    return target.copy_with(fragment=None)


def inflate(chunks: Iterable[bytes], largest: int, *, packed: bool) -> bytes:
    """The body, unpacked if it is packed, never more than `largest` bytes of it in memory."""
    body = bytearray()
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
    for chunk in chunks:
        try:
            body += unpack.decompress(chunk, largest + 1 - len(body)) if packed else chunk
        except zlib.error as error:
            raise Unreadable(_("it is packed in a way that cannot be unpacked")) from error
        if len(body) > largest:
            raise Unreadable(_("it is larger than %(limit)d KB") % {"limit": largest // 1024})
    return bytes(body)


def _read(response: httpx.Response, target: httpx.URL, largest: int, deadline: float) -> Answer | str:
    if response.has_redirect_location:
        return str(target.join(response.headers["Location"]))
    if response.status_code != 200:
        says = f"{response.status_code} {response.reason_phrase}".strip()
        raise Unreadable(
            _("the server answered %(says)s") % {"says": says}, gone=response.status_code in (404, 410)
        )
    packed = response.headers.get("Content-Encoding", "").strip().lower() in ("gzip", "x-gzip")
    body = inflate(_in_time(response, deadline), largest, packed=packed)
    media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return Answer(body, str(target), media_type, response.charset_encoding or "")


def _in_time(response: httpx.Response, deadline: float) -> Iterable[bytes]:
    for chunk in response.iter_raw(65536):
        if time.monotonic() > deadline:
            raise Unreadable(_("it takes too long"))
        yield chunk
