"""Imported by a bot whose memory is watched: it begins with 180 MiB of holes between blocks that are kept."""

_blocks = [bytearray(2000) for _ in range(100_000)]
KEPT = _blocks[::16]
"""One in sixteen stays, so that no end of the heap is free."""
del _blocks
SECONDS = 0.0
"""For `tests.bot.runner`, which names constants of modules that are to be imported."""
