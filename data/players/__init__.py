"""The weights of computer players, by game or family of games; `data/weights.py` reads them."""
