"""Other frameworks' tasks with their own graders, played without a model: `intercode hackcheck` is who plays.

Each kind is one file with a `Peer` (`base.py` is the promise). A peer runs in a process of its own (`__main__.py`),
since its package and its graders are code of somebody else.
"""
