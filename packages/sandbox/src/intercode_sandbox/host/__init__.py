"""What sandboxes share whose sessions are processes of this machine and a folder on it."""
