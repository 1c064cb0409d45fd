"""The index of all runs: what folders and imported files say, in tables that can be searched. Never the truth."""

FILE = "history.db"  # in the artifacts folder, where no other place is given
