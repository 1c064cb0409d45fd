"""One file is one view of the dashboard; the folder is the list.

A view has `ROUTES`, paths with the function that answers each, and where it stands in the navigation a `TAB`: its
place, its words and its address.
"""
