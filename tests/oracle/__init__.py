"""Our engine and validation beside the reference implementation, on recorded and on random programs."""
