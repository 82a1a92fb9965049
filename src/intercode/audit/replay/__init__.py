"""Replay: recorded episodes are executed again, and what comes of them now is compared with what came of them then."""
