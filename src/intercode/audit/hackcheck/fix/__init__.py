"""The hardened form of a reward or a verifier, and what it pays."""
