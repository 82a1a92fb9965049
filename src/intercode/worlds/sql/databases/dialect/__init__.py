"""MySQL's language, as far as it must be understood outside a server: tokens, statements, errors, other dialects."""
