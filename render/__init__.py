"""Pictures of tables, hands and players. Words and names are arguments."""
