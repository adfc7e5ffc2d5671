"""Many tables: what goes from each table's journal to the hall and back, and what the hall makes of
it. See README.md here.
"""
