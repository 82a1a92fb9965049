"""What runs amount to: rates with their uncertainty, by turn, difficulty and category, beside each other, and why."""
