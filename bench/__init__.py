"""Figures and pictures, made by running the real thing."""
