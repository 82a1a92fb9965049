"""Generated tasks: families of requests over a generated file system, database or function, each with its golds.

`family.py` defines a family, `maker.py` turns a world's families into tasks, `splits.py` separates training from test.
`bash/`, `sql/` and `python/` hold one world each; `certify/` proves that a data set can be solved and not cheated.
"""
