"""What data sets of several kinds share."""
