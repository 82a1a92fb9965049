"""Spider as InterCode published it, and the verified set made of it: loader, changes, planted rows and notes."""
