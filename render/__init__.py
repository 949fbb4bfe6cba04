"""Pictures of tables, hands and people. They take what may be seen, and words and names that are handed in."""

from render.bracket import BracketBox, BracketRow, BracketWords, MatchSign, bracket_picture
from render.diagrams import DIAGRAMS, Diagram, diagrams
from render.faces import THEMES
from render.field import FieldLine, field_picture
from render.film import Film, Shot
from render.graph import Graph, Mark
from render.hand import HandWords, hand_picture
from render.league_table import LeagueLine, league_picture
from render.match_end import DecisiveMove, EndWords, match_picture
from render.picture import Captions, Picture
from render.png import labelled
from render.profile import profile_card
from render.puzzle_card import PuzzleCard, puzzle_card
from render.review import Course, ReviewLine, ReviewWords, review_picture
from render.rules_page import rules_picture
from render.spots import Spots
from render.table import table_picture
from render.theme import SCHEMES

__all__ = [
    "DIAGRAMS",
    "SCHEMES",
    "THEMES",
    "BracketBox",
    "BracketRow",
    "BracketWords",
    "Captions",
    "Course",
    "DecisiveMove",
    "Diagram",
    "EndWords",
    "FieldLine",
    "Film",
    "Graph",
    "HandWords",
    "LeagueLine",
    "Mark",
    "MatchSign",
    "Picture",
    "PuzzleCard",
    "ReviewLine",
    "ReviewWords",
    "Shot",
    "Spots",
    "bracket_picture",
    "diagrams",
    "field_picture",
    "hand_picture",
    "labelled",
    "league_picture",
    "match_picture",
    "profile_card",
    "puzzle_card",
    "review_picture",
    "rules_picture",
    "table_picture",
]
