"""The program that runs INSIDE a session: the image's own Python (3.8 or later), taking orders from the host.

Its modules are compiled by that Python and handed over, in the order of `MODULES`. They import next to nothing, since
every session pays for it. When its process dies, by whatever the agent does to it, the host starts another, which knows
nothing of what was before. Orders are marshalled tuples, each with its length before it: (key, name, arguments…). What
is printed is the answer, and behind it, between NUL bytes, a word, the order's key and what became of it. The agent's
code runs in the same process and can read, forge and break all of this: nothing here is believed by whoever judges.
"""

MODULES = (
    "protocol", "values", "state_hash", "code", "paper_actions", "run_limited", "text_or_error", "forks",
    "program", "kernel", "process",
)  # fmt: skip
"""All modules, each after those that it imports."""
