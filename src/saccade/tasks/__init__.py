"""What a model is trained to do: batch to loss, examples to scores."""
