"""MySQL and MariaDB servers: finding one, starting one of our own, talking to it, and leaving none behind."""
