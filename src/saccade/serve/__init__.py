"""The HTTP service: trained runs answer requests, batched together, and show where they looked."""
