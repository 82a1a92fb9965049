"""What the embedded SQLite needs in order to answer as MySQL would."""
