"""Refuses to start with login settings that would let everybody in, or nobody."""

from collections.abc import Sequence

from config import env


def check(
    production: bool, issuer: str, has_client: bool, local_login: bool, lost_groups: Sequence[str]
) -> None:
    """`lost_groups` have to have a second factor, and there is none."""
    if issuer and not has_client:
        env.refuse("TASKBOARD_OIDC_CLIENT_ID", "", "given, with its secret, where there is an issuer")
    if production and issuer and not issuer.startswith("https://"):
        env.refuse("TASKBOARD_OIDC_ISSUER", issuer, "an address that begins with https:// in production")
    if not local_login and not issuer:
        env.refuse(
            "TASKBOARD_LOCAL_LOGIN", "0", "1 as long as there is no single sign-on: nobody could come in"
        )
    if lost_groups:
        env.refuse("TASKBOARD_TOTP_GROUPS", ", ".join(lost_groups), "empty unless TASKBOARD_TOTP is 1")
