"""The names of people and of the channel on both stages: the local Discord and simcord."""

from typing import Any

Json = dict[str, Any]  # A message, or another object, in Discord's own shape

PEOPLE = ("Ada", "Grace", "Linus")  # Who is on the server

TABLE = "games-night"  # The channel in which everything happens; it is empty at first
