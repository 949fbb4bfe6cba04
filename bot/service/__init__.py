"""The use cases: what people, buttons, deadlines and computer seats can do. Nothing here knows Discord."""
