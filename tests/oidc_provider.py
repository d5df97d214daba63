"""`python -m tests.oidc_provider PORT`: a small provider of single sign-on, with real keys and the whole code flow.

Whoever asks is let in at once as the person in `who.json` beside it; `lies.json` says what it gets wrong on purpose.
"""

import base64
import hashlib
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "taskboard", "a secret of the provider and us"
KEY, OTHER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _number in range(2))


class Provider(BaseHTTPRequestHandler):
    """Codes and tokens live as long as the process."""

    folder: Path
    codes: dict[str, dict[str, str]] = {}
    tokens: dict[str, dict[str, Any]] = {}

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        told = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match parts.path:
            case "/.well-known/openid-configuration":
                self._answer(self._described())
            case "/keys":
                public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
                self._answer({"keys": [{**public, "kid": "one", "alg": "RS256", "use": "sig"}]})
            case "/authorize":
                self._authorize(told)
            case "/userinfo":
                token = (self.headers["Authorization"] or "").removeprefix("Bearer ")
                self._answer({**self.tokens[token], **self._lies().get("userinfo", {})})
            case _:
                self.send_error(404)

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        told = {name: values[0] for name, values in parse_qs(self.rfile.read(size).decode()).items()}
        asked = self.codes.pop(told.get("code", ""), None)
        if asked is None or told.get("client_secret") != SECRET or not self._proves(asked, told):
            self._answer({"error": "invalid_grant"}, 400)
            return
        who = json.loads((self.folder / "who.json").read_text())
        self.tokens[f"access-{len(self.tokens)}"] = who
        self._answer({"access_token": f"access-{len(self.tokens) - 1}", "id_token": self._token(asked, who)})

    def _proves(self, asked: dict[str, str], told: dict[str, str]) -> bool:
        digest = hashlib.sha256(told.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        return challenge == asked["code_challenge"] and told.get("redirect_uri") == asked["redirect_uri"]

    def _authorize(self, told: dict[str, str]) -> None:
        code = f"code-{len(self.codes)}-{time.monotonic_ns()}"
        self.codes[code] = told
        self.send_response(302)
        self.send_header(
            "Location", f"{told['redirect_uri']}?{urlencode({'code': code, 'state': told['state']})}"
        )
        self.end_headers()

    def _token(self, asked: dict[str, str], who: dict[str, Any]) -> str:
        lies, now = self._lies(), int(time.time())
        claims = {
            "iss": self._issuer(), "aud": CLIENT, "sub": who["sub"], "nonce": asked["nonce"], "iat": now,
            "exp": now + 300,
        }  # fmt: skip
        key = OTHER if lies.get("key") else KEY
        return jwt.encode({**claims, **lies.get("token", {})}, key, "RS256", {"kid": "one"})

    def _described(self) -> dict[str, Any]:
        at = self._issuer()
        return {
            "issuer": self._lies().get("issuer", at), "authorization_endpoint": f"{at}/authorize",
            "token_endpoint": f"{at}/token", "userinfo_endpoint": f"{at}/userinfo", "jwks_uri": f"{at}/keys",
        }  # fmt: skip

    def _issuer(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def _lies(self) -> dict[str, Any]:
        path = self.folder / "lies.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def _answer(self, told: Any, status: int = 200) -> None:
        content = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


if __name__ == "__main__":
    Provider.folder = Path(sys.argv[2])
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Provider).serve_forever()
