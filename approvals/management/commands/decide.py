"""`manage.py decide APPROVAL approve|reject|changes --as USER`: one person's answer."""

from argparse import ArgumentParser
from typing import Any

from approvals import decisions
from approvals.inbox import as_json
from approvals.models import Approval, Outcome
from approvals.rules import Proof
from taskboard.errors import NotFound
from taskboard.management.base import TaskboardCommand, add_person, find_user


class Command(TaskboardCommand):
    help = "Answer a question, under the same rules as on its page."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("approval", type=int, help="the id, as `approvals` lists it")
        parser.add_argument("outcome", choices=Outcome.values)
        add_person(parser, "who decides", required=True)
        parser.add_argument(
            "--reason", default="", help="kept with the decision; only an approval needs none"
        )
        parser.add_argument(
            "--digest",
            default="",
            help="refuse if the action is not the one with this SHA-256; shows that a long question was read",
        )
        parser.add_argument("--json", action="store_true", help="exactly one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        person = find_user(options["person"])
        digest = options["digest"] or _digest_of(options["approval"])
        proofs = tuple(Proof) if options["digest"] else (Proof.CONFIRMED,)
        decided = decisions.decide(
            options["approval"], person, options["outcome"], options["reason"], digest, proofs=proofs
        )
        if options["json"]:
            self.print_json(
                {**as_json(decided), "decided_by": decided.decided_by_name, "reason": decided.reason}
            )
        else:
            self.stdout.write(f"{decided.pk}: {decided.get_status_display()}")


def _digest_of(approval_id: int) -> str:
    """Who names the question by its id means the action that it holds now."""
    digest = Approval.objects.filter(pk=approval_id).values_list("payload_sha256", flat=True).first()
    if digest is None:
        raise NotFound(f"There is no question {approval_id}.")
    return digest
