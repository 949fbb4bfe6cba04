"""One TOML file of sentences for each language."""
