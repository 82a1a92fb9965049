"""Reading published databases: dumps, scripts and database files."""
