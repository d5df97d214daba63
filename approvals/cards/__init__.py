"""What is shown of one question."""
