"""What models share: how they are asked again, what they cost, how OpenAI's protocol is written and read."""
