"""Weights in and out: other people's engines and formats."""
