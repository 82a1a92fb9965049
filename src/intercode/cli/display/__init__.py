"""What commands show: reports on standard output, progress on standard error."""
