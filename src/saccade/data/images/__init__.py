"""Pictures: from the bytes of a file to tensors, decoded, kept and varied."""
