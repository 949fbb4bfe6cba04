"""Names of users and of the channel on both stages: the local Discord and simcord."""

from typing import Any

Json = dict[str, Any]  # an object of Discord's API, such as a message

PEOPLE = ("Ada", "Grace", "Linus")  # members of the server

TABLE = "games-night"  # the channel of all scenes; it is empty at first
