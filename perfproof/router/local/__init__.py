"""Engine workers on this machine, without HTTP: for the pairs about routing."""
