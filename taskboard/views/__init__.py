"""Views: pages, parts, actions."""
