"""NL2Bash as InterCode published it, and the verified set made of it: loader, image, changes and notes."""
