"""Training: one loop, optimisers, schedules, checkpoints, and the run folder they write."""
