"""Inspect: our sandbox for anybody's task, and tasks for every data set of ours. Needs inspect-ai.

Inspect finds both by the entry point `inspect_ai`, which loads `intercode.integrations.inspect.plugins`.
"""
