"""Compiled kernels: integers and arrays in and out; no I/O, no pandas, no preset's name."""
