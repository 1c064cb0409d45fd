"""`perfproof ab`: from what a person wrote to comparisons of programs, files, environments, revisions or servers."""
