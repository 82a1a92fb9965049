"""The families of Python tasks, one module a topic. Each registers its families by the decorator `family`."""
