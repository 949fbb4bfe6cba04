"""What computer players weigh, by game or family of games: read by `data/weights.py`."""
