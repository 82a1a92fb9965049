"""What worlds are made of: spaces, shells, endings, golds."""
