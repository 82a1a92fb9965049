"""Does an agent learn on generated tasks? Arms that differ only in the reward, on held-out tasks: `docs/learning-curve.md`."""
