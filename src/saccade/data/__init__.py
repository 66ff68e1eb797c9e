"""Data: read and check files, train tokenizers, encode to disk, make batches."""
