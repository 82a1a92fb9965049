"""Generated databases, and the families of SQL tasks over them."""
