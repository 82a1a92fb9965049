"""The promise of a world: a `gymnasium.Env` whose actions are code."""
