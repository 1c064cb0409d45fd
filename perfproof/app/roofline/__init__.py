"""`perfproof roofline`: kernels under the roofs of a machine."""
