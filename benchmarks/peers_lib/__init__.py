"""The systems that benchmarks/peers.py compares, and what it makes of their figures."""
