"""What `compare.py` is made of: clocks, other libraries, and tables."""
