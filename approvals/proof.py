"""The proof that a question's complete text was given to a person: it goes out with that text and nowhere else."""

from django.contrib.auth.models import User
from django.core import signing

SALT = "approvals.read"


def give(approval_id: int, user: User, digest: str) -> str:
    """Signed: for this question, this reader, and this very action."""
    return signing.dumps([approval_id, user.pk, digest], salt=SALT)


def holds(proof: str, approval_id: int, user: User, digest: str) -> bool:
    """Whether it is one for this; what is missing, forged or of another reader proves nothing."""
    try:
        return bool(signing.loads(proof, salt=SALT) == [approval_id, user.pk, digest])
    except signing.BadSignature:
        return False
