"""What is odd about golds that are SQL statements."""
