"""Pages, parts of pages and actions of approvals."""
