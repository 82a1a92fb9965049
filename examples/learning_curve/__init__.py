"""Does an agent learn on generated tasks? Arms that differ in the reward alone: see `docs/learning-curve.md`."""
