"""An episode as a conversation: messages, answers and tokens, for several formats."""
