"""An index to look at and to take along: an opened snapshot in, the bytes of pages and exports out.

Writes no file, asks no model, and changes nothing of what it shows.
"""
