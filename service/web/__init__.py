"""What people see and touch: pages, feeds and orders of a table, in a process of its own that may
die and come back.
"""
