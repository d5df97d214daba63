"""The rights that people's groups give them over questions."""

SEE = "approvals.view_approval"
DECIDE = "approvals.decide_approval"
ROUTE = "approvals.route_approval"
OVERSEE = "approvals.oversee_decisions"
OVERSEE_PEOPLE = "approvals.oversee_people"
ABSENCES = "approvals.change_absence"
"""Saying who answers in the place of others."""
