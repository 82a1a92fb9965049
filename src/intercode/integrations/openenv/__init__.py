"""OpenEnv's protocol, and what a published environment of it holds. The server needs no package of OpenEnv's."""
