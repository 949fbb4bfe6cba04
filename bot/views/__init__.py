"""What a table looks like in Discord. Views are printed, sent and forgotten: their buttons carry all they need.

Every view is stopped before it is sent, so nothing is kept in memory for it; presses come back through the
`DynamicItem`s of `bot.commands.presses`, before and after a restart alike.
"""
