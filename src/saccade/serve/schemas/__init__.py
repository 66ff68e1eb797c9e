"""What requests and answers look like; OpenAPI is made of these."""
