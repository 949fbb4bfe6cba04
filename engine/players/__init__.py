"""Computer players. Each has `choose(view, rng) -> Action` and uses only what its seat may see."""
