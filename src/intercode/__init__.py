"""InterCode: interactive coding as a standard reinforcement-learning environment."""

import sys
from importlib import import_module

__version__ = "0.1.0"

if "gymnasium" in sys.modules:  # else not worth the half second that loading it takes: `import intercode.envs` does
    import_module("intercode.envs")
