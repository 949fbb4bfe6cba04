"""Computer players. Each has `choose(seen, rng) -> Action` and uses only what its seat may see."""
