"""Going on after an interruption, in eight steps: first reality, then the model."""
