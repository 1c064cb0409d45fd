"""`perfproof sweep`: a grid over the sizes of a pair, or over the options of a command."""
