"""Golds that were written from the text of generated tasks alone, and their replay."""
