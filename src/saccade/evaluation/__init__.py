"""Evaluation: scores of decoded text with signature and interval, alignment error, and the file that keeps them."""
