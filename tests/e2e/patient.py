"""`boneyard` with a local Discord that waits for the bot as long as the tests do.

Beside much else a bot may not be served at all for three seconds. That Discord gives up then is for `tests/playground`.
"""

from bot.__main__ import main
from bot.playground.server import LocalDiscord
from tests.e2e.playground import PATIENCE

defaults = LocalDiscord.__init__.__kwdefaults__
assert defaults is not None
defaults["answer_within"] = PATIENCE
main()
