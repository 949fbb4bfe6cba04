"""Solo puzzles: outlines that a whole set of tiles fills, and the search for solutions."""
