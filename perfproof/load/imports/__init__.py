"""Results of other load generators as records of ours. One file is one tool; each says what its names mean there."""
