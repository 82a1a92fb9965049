"""Environments and tasks of other frameworks (verifiers, Inspect, Gymnasium), in a process of their own."""
