"""The tables of docs/benchmarks.md, made of the figures of one run of `make bench`."""
