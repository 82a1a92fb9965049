"""What several commands share: their options, and how they begin and end."""
