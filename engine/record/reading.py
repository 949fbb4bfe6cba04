"""Parse the lines of a record into events. `rerun` checks whether their claims are right."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.board.tiles import Tile, format_tile_notation
from engine.match import events
from engine.match.rules import Rules
from engine.record.header import FindRules, Header, read_header
from engine.record.text import (
    FOLLOWS,
    TAKES_BACK,
    DamagedRecordError,
    Line,
    format_seat,
    list_content_lines,
    parse_placement,
    parse_seat,
    parse_tile,
    parse_tiles,
)
from engine.typed_text import normalize_text

NumberedEvent = events.RoundEvent | events.Undone  # events of a numbered line
INT = r"-?[0-9]{1,9}"
COUNT = r"[0-9]{1,9}"
SCORE = rf"(?P<points>[+-][0-9]{{1,9}}) -> {INT}"
ROUND = re.compile(rf"round (?P<round>{COUNT})", re.ASCII)
HAND = re.compile(r"(?P<seat>[A-Z]) is dealt (?P<tiles>.+)")
ASIDE = re.compile(r"set aside: (?P<tiles>.+)")
BONEYARD = re.compile(r"boneyard: (?P<tiles>.+)")
OPENS = re.compile(r"(?P<seat>[A-Z]) opens with (?P<tiles>.+)")
PLAY = re.compile(
    rf"(?P<number>{COUNT}) (?P<seat>[A-Z]) (?P<what>(?P<verb>plays|chooses|draws|passes|resigns|takes)\b.*)"
)
PLAYS = re.compile(
    rf"plays (?P<placement>[^: ]+)(?: matching (?P<matched>{COUNT})| (?P<corner>from corner to corner))?: "
    rf"(?:(?:{COUNT} and (?P<beside>{COUNT}) count )?(?P<base>{INT})"
    rf"(?: \+ (?P<bonus>{INT}) for"
    r"(?: the opening| (?P<bridge>a bridge)| (?P<hexagons>[1-9]) hexagons?(?P<too> and a bridge)?))?"
    rf"(?: - {INT} for (?P<drawn>{COUNT}) drawn)? = )?{SCORE}"
    rf"(?P<follows>{'|'.join(filter(None, FOLLOWS.values()))})?"
)
CHOOSES = re.compile(
    rf"chooses (?:(?P<stop>to stop)|(?P<points>points)(?: and (?P<both>{COUNT}) tiles?|(?P<alone> alone))?"
    rf"|(?P<tiles>{COUNT}) tiles?): (?P<score>[+-][0-9]{{1,9}}) -> {INT}"
)
DRAWS = re.compile(r"draws (?P<tile>\S+)")
PASSES = re.compile(rf"passes(?: after (?P<drawn>{COUNT}) drawn)?: {SCORE}")
ROUND_ENDS = re.compile(rf"round (?P<round>{COUNT}) ends: (?:(?P<out>[A-Z]) is out|blocked)")
HOLDS = re.compile(rf"(?P<seat>[A-Z]) holds (?P<tiles>[^=:]+?)(?: = {COUNT})?: {SCORE}")
MATCH_ENDS = re.compile(r"match ends: (?P<ranks>.+)")
RANK = re.compile(rf"(?P<seat>[A-Z]) (?P<total>{INT}) place (?P<place>{COUNT})")

EXAMPLES = {
    "plays": "1 A plays U0,0=555: 15 + 10 for the opening = +25 -> 25",
    "chooses": "2 B chooses 2 tiles: +0 -> 20",
    "draws": "2 B draws 0-1-5",
    "passes": "3 B passes after 3 drawn: -25 -> -12",
    "resigns": "4 B resigns",
    "takes": "5 A takes back",
}


@dataclass(frozen=True, slots=True)
class RecordEntry:
    """An event of a record, with its lines."""

    event: events.Event
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Record:
    header: Header
    entries: tuple[RecordEntry, ...]
    commitment_line: int  # line of the commitment; 1 if the header has none

    @property
    def started_event(self) -> events.Started:
        head = self.header
        return events.Started(
            head.rules, head.seats, head.computers, head.by_hand, head.commitment, head.shuffle, head.contributions
        )

    @property
    def events(self) -> list[events.Event]:
        return [self.started_event, *(entry.event for entry in self.entries)]

    @property
    def plays(self) -> int:
        """The number of numbered lines."""
        return sum(isinstance(entry.event, NumberedEvent) for entry in self.entries)


def read(text: str, find: FindRules) -> Record:
    """Parse a record. `find` returns the default rules of a game by name, or raises ValueError. Raises
    DamagedRecordError with the line and the reason.
    """
    lines = list_content_lines(text)
    body = next((at for at, line in enumerate(lines) if ROUND.fullmatch(line.text)), len(lines))
    header = read_header(lines[:body], find)
    if body == len(lines):
        raise DamagedRecordError(lines[-1].number, "the record ends before the first round")
    typed = [Line(line.number, normalize_text(line.text)) for line in lines[body:]]
    entries = _BodyParser(header, typed).parse_entries()
    commitment_line = next((line.number for line in lines[:body] if line.text.startswith("commitment:")), 1)
    return Record(header, tuple(entries), commitment_line)


class _BodyParser:
    def __init__(self, header: Header, lines: Sequence[Line]) -> None:
        self.header = header
        self.rules: Rules = header.rules
        self.tiles = header.rules.tiles
        self.lines = lines
        self.at = 0
        self.plays = 0

    def parse_entries(self) -> list[RecordEntry]:
        found: list[RecordEntry] = []
        while self.at < len(self.lines):
            begin = self.at
            if found and isinstance(found[-1].event, events.MatchEnded):
                raise DamagedRecordError(self.lines[begin].number, "nothing comes after the end of the match")
            event = self._parse_event(self._take_line("an event"))
            found.append(RecordEntry(event, tuple(self.lines[begin : self.at])))
        return found

    def _take_line(self, expected: str) -> Line:
        if self.at == len(self.lines):
            raise DamagedRecordError(
                self.lines[-1].number, f"the record ends after this line, where {expected} should be"
            )
        self.at += 1
        return self.lines[self.at - 1]

    def _parse_event(self, line: Line) -> events.Event:
        if found := ROUND.fullmatch(line.text):
            return self._parse_deal(int(found["round"]))
        if found := PLAY.fullmatch(line.text):
            return self._parse_play(line, found)
        if found := ROUND_ENDS.fullmatch(line.text):
            return self._parse_round_end(line, found)
        if found := MATCH_ENDS.fullmatch(line.text):
            return self._parse_match_end(line, found["ranks"])
        raise DamagedRecordError(line.number, f"{_shorten(line.text)!r} is no play, no round and no end")

    def _parse_play(self, line: Line, found: re.Match[str]) -> NumberedEvent:
        self.plays += 1
        if int(found["number"]) != self.plays:
            raise DamagedRecordError(line.number, f"this is play {found['number']} where play {self.plays} should be")
        seat = parse_seat(found["seat"], self.header.seats, line)
        what, verb = found["what"], found["verb"]
        if verb == "plays" and (groups := PLAYS.fullmatch(what)):
            return self._parse_placed(seat, groups, line)
        if verb == "chooses" and (groups := CHOOSES.fullmatch(what)):
            return _parse_chose(seat, groups)
        if verb == "draws" and (groups := DRAWS.fullmatch(what)):
            return events.Drew(seat, parse_tile(groups["tile"], self.tiles, line))
        if verb == "passes" and (groups := PASSES.fullmatch(what)):
            return events.Passed(seat, int(groups["drawn"] or 0), int(groups["points"]))
        if what == "resigns":
            return events.Resigned(seat)
        if what in TAKES_BACK.values():
            return events.Undone(seat, what == TAKES_BACK[True])
        raise DamagedRecordError(line.number, f"{_shorten(what)!r} cannot be read; write it like {EXAMPLES[verb]!r}")

    def _parse_placed(self, seat: int, groups: re.Match[str], line: Line) -> events.Placed:
        try:
            placement = parse_placement(groups["placement"], self.rules)
        except ValueError as error:
            raise DamagedRecordError(line.number, str(error)) from error
        return events.Placed(
            seat=seat,
            tile=placement.tile,
            cell=placement.cell,
            rotation=placement.rotation,
            base=int(groups["base"] or groups["points"]),
            hexagons=int(groups["hexagons"] or 0),
            bridge=bool(groups["bridge"] or groups["too"]),
            bonus=int(groups["bonus"] or 0),
            drawn=int(groups["drawn"] or 0),
            points=int(groups["points"]),
            matched=int(groups["matched"] or 0),
            corner=bool(groups["corner"]),
            beside=None if groups["beside"] is None else int(groups["beside"]),
            follows=next(name for name, text in FOLLOWS.items() if text == (groups["follows"] or "")),
        )

    def _parse_deal(self, number: int) -> events.Dealt:
        dealt: dict[Tile, int] = {}
        hands = []
        for seat in range(self.header.seats):
            line, found = self._take_matching_line(HAND, f"{format_seat(seat)} is dealt ...", seat)
            hands.append(self._parse_new_tiles(found["tiles"], dealt, line))
        line, found = self._take_matching_line(BONEYARD, "boneyard: ...")
        boneyard = self._parse_new_tiles(found["tiles"], dealt, line)
        aside: tuple[Tile, ...] = ()
        if self.at < len(self.lines) and (found_aside := ASIDE.fullmatch(self.lines[self.at].text)):
            line = self._take_line("")
            aside = self._parse_new_tiles(found_aside["tiles"], dealt, line)
        missing = next((tile for tile in self.tiles if tile not in dealt), None)
        if missing is not None:
            raise DamagedRecordError(
                line.number,
                f"{format_tile_notation(missing)} is in no hand of this round, not in the boneyard and not set aside",
            )
        line, found = self._take_matching_line(OPENS, "A opens with ...")
        opener = parse_seat(found["seat"], self.header.seats, line)
        if found["tiles"] == "any tile":
            return events.Dealt(number, tuple(hands), boneyard, opener, tuple(sorted(hands[opener])), aside)
        choices = tuple(parse_tile(text, self.tiles, line) for text in found["tiles"].split(" or "))
        return events.Dealt(number, tuple(hands), boneyard, opener, choices, aside)

    def _parse_new_tiles(self, text: str, dealt: dict[Tile, int], line: Line) -> tuple[Tile, ...]:
        """Parse the tiles of one line of a deal; none may be dealt twice."""
        tiles = parse_tiles(text, self.tiles, line)
        for tile in tiles:
            if tile in dealt:
                raise DamagedRecordError(line.number, f"{format_tile_notation(tile)} is also on line {dealt[tile]}")
            dealt[tile] = line.number
        return tiles

    def _parse_round_end(self, line: Line, found: re.Match[str]) -> events.RoundEnded:
        out = parse_seat(found["out"], self.header.seats, line) if found["out"] else None
        hands, awards = [], []
        for seat in range(self.header.seats):
            line, groups = self._take_matching_line(HOLDS, f"{format_seat(seat)} holds ...: +0 -> 0", seat)
            hands.append(parse_tiles(groups["tiles"], self.tiles, line))
            awards.append(int(groups["points"]))
        return events.RoundEnded(int(found["round"]), out, tuple(hands), tuple(awards))

    def _parse_match_end(self, line: Line, ranks: str) -> events.MatchEnded:
        matches = [RANK.fullmatch(rank.strip()) for rank in ranks.split(",")]
        seats = [found["seat"] if found else "" for found in matches]
        if seats != [format_seat(seat) for seat in range(self.header.seats)]:
            raise DamagedRecordError(
                line.number, "the result names every seat once, like 'A 410 place 1, B 380 place 2'"
            )
        totals = tuple(int(found["total"]) for found in matches if found)
        places = tuple(int(found["place"]) for found in matches if found)
        return events.MatchEnded(totals, places, self.header.secret)

    def _take_matching_line(
        self, pattern: re.Pattern[str], example: str, seat: int | None = None
    ) -> tuple[Line, re.Match[str]]:
        """Return the next line of a deal or a round's end, which must have this form and seat."""
        line = self._take_line(repr(example))
        found = pattern.fullmatch(line.text)
        if found is None or (seat is not None and found["seat"] != format_seat(seat)):
            raise DamagedRecordError(line.number, f"{_shorten(line.text)!r} stands where {example!r} should be")
        return line, found


def _parse_chose(seat: int, groups: re.Match[str]) -> events.Chose:
    points = int(groups["score"])
    if groups["stop"]:
        return events.Chose(seat, "stop", points, 0)
    if groups["tiles"]:
        return events.Chose(seat, "tiles", points, int(groups["tiles"]))
    if groups["both"] or groups["alone"]:
        return events.Chose(seat, "both", points, int(groups["both"] or 0))
    return events.Chose(seat, "points", points, 0)


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
