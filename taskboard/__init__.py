"""Long tasks: their state, their engine, their pages."""
