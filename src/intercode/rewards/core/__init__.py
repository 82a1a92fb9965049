"""What all rewards share."""
