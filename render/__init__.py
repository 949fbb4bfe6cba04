"""Pictures of tables, hands and people. They take what may be seen, and words and names that are handed in."""
