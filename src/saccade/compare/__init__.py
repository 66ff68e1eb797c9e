"""Several systems at one budget: the same data, tokenizer and budget for each, and what each reached and cost."""
