"""Workers that are killed at named moments."""
