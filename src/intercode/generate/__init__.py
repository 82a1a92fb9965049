"""Tasks made from families: a file system, a database or nothing at all, a request in words, and golds that meet it.

`family.py` is what a family is, `maker.py` how a world's families become tasks, `splits.py` what is kept from whom.
Each world has a package: `bash/` holds generated file systems and the families of Bash tasks, `python/` functions and
classes with the hidden tests that judge them.
"""
