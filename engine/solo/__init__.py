"""Games for one: outlines that a whole set of tiles fills, and the search for how they can be filled."""
