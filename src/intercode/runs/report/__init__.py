"""What runs amount to: rates with their uncertainty, by turn, hardness and category, beside each other, and why."""
