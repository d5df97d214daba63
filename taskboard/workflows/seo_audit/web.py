"""A site on the web: a list of addresses, fetched one by one."""

from urllib.parse import SplitResult, urljoin, urlsplit

from taskboard.workflows.seo_audit.fetch import Fetcher
from taskboard.workflows.seo_audit.names import page_key, path_of_address
from taskboard.workflows.seo_audit.raw import Raw, Target


class WebSource:
    """The host of the first address is the site; paths on any other host begin with its name."""

    remote = True

    def __init__(self, addresses: list[str], fetcher: Fetcher) -> None:
        self._addresses = list(dict.fromkeys(map(_plain, addresses)))
        self._fetcher = fetcher
        hosts = list(dict.fromkeys(_host(urlsplit(address)) for address in self._addresses))
        self._site, self._hosts = hosts[0], set(hosts)

    def urls(self) -> list[str]:
        """The addresses in the order of the list, each once."""
        return self._addresses

    def path(self, url: str) -> str:
        """`https://example.org/shop/` -> `shop/index.html`."""
        address = urlsplit(url)
        prefix = "" if _host(address) == self._site else f"{_host(address)}/"
        return prefix + path_of_address(address)

    def read(self, url: str) -> Raw:
        """The page as the server sends it now; raises Unreadable."""
        answer = self._fetcher.page(url)
        return Raw(answer.body, answer.charset)

    def target(self, url: str, href: str, own_host: str) -> Target | None:
        """Links between the hosts of the list; whether a page is there shows when it is read."""
        try:
            link = urlsplit(urljoin(url, href))
        except ValueError:
            return None
        if link.scheme not in ("http", "https") or _host(link) not in self._hosts:
            return None
        return Target(page_key(self.path(link.geturl())))

    def close(self) -> None:
        """Give the connections back."""
        self._fetcher.close()


def _plain(address: str) -> str:
    try:
        return urlsplit(address)._replace(fragment="").geturl()
    except ValueError:
        return address


def _host(address: SplitResult) -> str:
    return address.netloc.lower().rpartition("@")[2]
