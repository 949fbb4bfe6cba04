"""Computer players. Each is a function `choose(seen, rng) -> Action` that knows only what its seat may see."""
