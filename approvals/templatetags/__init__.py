"""Template tags of approvals."""
