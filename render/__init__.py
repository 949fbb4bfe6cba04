"""Pictures of tables, hands and people. They take what may be seen, and words and names that are handed in."""

from render.canvas.cell_outline import Spots
from render.canvas.graph import Graph, Mark
from render.canvas.picture import Captions, Picture
from render.canvas.png import labelled
from render.canvas.theme import SCHEMES
from render.duplicates.picture import FieldLine, field_picture
from render.faces import THEMES
from render.history.picture import Film, Shot
from render.leagues.bracket_picture import BracketBox, BracketRow, BracketWords, MatchSign, bracket_picture
from render.leagues.picture import LeagueLine, league_picture
from render.profiles.picture import profile_card
from render.puzzles.picture import PuzzleCard, puzzle_card
from render.reviews.picture import Course, ReviewLine, ReviewWords, review_picture
from render.table.hand import HandWords, hand_picture
from render.table.match_end import DecisiveMove, EndWords, match_picture
from render.table.rules_page import DIAGRAMS, Diagram, diagrams, rules_picture
from render.table.table_picture import table_picture

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
