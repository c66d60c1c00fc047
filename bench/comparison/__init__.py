"""What compare.py is made of: one idea per file."""
