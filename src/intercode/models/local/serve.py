"""The program that loads weights and answers questions about them: llama.cpp's server, in Python's package `xllamacpp`.

`LocalServer` starts it as a process of its own. It imports nothing of InterCode's.
"""

from __future__ import annotations

import json
import os
import signal
from typing import Any

SETTINGS = "INTERCODE_LOCAL_SERVER"
"""The variable that holds what `load` takes, as JSON. It has the token too, so it is no argument: those are public."""

SPARE_MEMORY = 512
"""Megabytes for prompts that no slot works at; llama.cpp's own default is 8192."""


def load(*, weights: str, name: str, token: str, slots: int, context: int, threads: int, template: str) -> Any:
    """Load *weights* and return a server of them at a free port of the loopback address; it ends with its object.

    Args:
        weights: A GGUF file.
        name: What replies call it: without this they name its path.
        token: What each question has to bring.
        slots: How many conversations are answered at once.
        context: Tokens of each of them.
        threads: Processors to use.
        template: The chat template; "": the file's own.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = weights, {name}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [token]
    params.n_parallel, params.n_ctx, params.kv_unified = slots, slots * context, False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = SPARE_MEMORY
    params.ui = params.endpoint_slots = False
    params.verbosity = 1  # errors
    if template:
        params.chat_template = template
    return xllamacpp.Server(params)


if __name__ == "__main__":
    server = load(**json.loads(os.environ.pop(SETTINGS)))
    print(server.listening_address, flush=True)
    signal.pause()
