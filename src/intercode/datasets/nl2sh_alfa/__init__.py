"""NL2SH-ALFA: loader and notes."""
