"""Pictures of tables, hands and people. They take what may be seen, and words and names that are handed in."""

from render.hand import hand_picture
from render.picture import Captions, Picture
from render.profile import profile_card
from render.table import table_picture

__all__ = ["Captions", "Picture", "hand_picture", "profile_card", "table_picture"]
