"""The network of a session, where it has one: a filtering HTTP proxy outside of it, and no packets.

A session has a network namespace of its own with a loopback device and nothing else. With `Limits.network` a socket
listens there that belongs to our proxy, a process beside us, which asks the world outside for what is allowed.
"""
