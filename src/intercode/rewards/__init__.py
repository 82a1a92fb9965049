"""Rewards: HOW an ending is judged."""
