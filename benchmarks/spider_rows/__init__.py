"""The rows that `spider-verified` plants: how they are searched for, and what they tell apart."""
