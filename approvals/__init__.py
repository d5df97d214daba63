"""Questions to people: who may decide, what was decided, what follows."""
