"""What a record, and the fingerprint that the lobby showed, prove about the deals of a match."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from engine.match.shuffle import FIRST, commitment, contribution_of
from engine.record.reading import Record
from engine.record.record_rerun import Rerun

SINCE: Final = "2026-11-22"
"""The day from which everybody at a table adds to its deals. A record that is older cannot show what nobody could."""

SHORTEST: Final = 32
"""Hexadecimal digits of a fingerprint, as boards once showed it; with fewer, somebody patient could prepare two secrets
for one.
"""

Fingerprint = Literal["none", "same", "other"]
"""Whether the fingerprint that somebody noted is that of the record's secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What was found. Fair is a match whose deals nobody could choose, and in which nothing went against the rules."""

    fingerprint: Fingerprint
    found: str
    """The fingerprint of the record's secret, 64 hexadecimal digits; empty where it has no secret."""
    contributions: tuple[str, ...]
    """What each seat added; empty for none."""
    silent: tuple[int, ...]
    """The seats of people that added nothing."""
    mine: tuple[tuple[str, bool], ...]
    """What somebody says that they added, and whether it is there."""
    early: bool
    """Whether nobody could add anything yet: a record of the first version of the shuffle, from its time."""
    dealt: bool
    """Whether every deal is the shuffle of the secret with what was added."""
    wrong: int
    """Lines that are not as they should be."""

    @property
    def fair(self) -> bool:
        """Whether all of it holds."""
        added = self.early or not self.silent
        there = all(found for _, found in self.mine)
        return self.fingerprint == "same" and added and there and self.dealt and not self.wrong


def prove(record: Record, checked: Rerun, fingerprint: str = "", mine: Sequence[str] = ()) -> Proof:
    """Hold a record, which has been re-run to its end, against a `fingerprint` as `noted` gives it, and against what
    somebody says they added: a word, the number of an interaction, or the 64 digits that come of it.
    """
    head = record.header
    found = commitment(bytes.fromhex(head.secret)) if head.secret else ""
    same: Fingerprint = "same" if found.startswith(fingerprint) and found else "other"
    added = head.contributions or ("",) * head.seats
    people = [seat for seat in range(head.seats) if seat not in head.computers]
    return Proof(
        fingerprint=same if fingerprint else "none",
        found=found,
        contributions=added,
        silent=tuple(seat for seat in people if not added[seat]),
        mine=tuple((text, _is_there(text, added)) for text in mine),
        early=head.shuffle == FIRST and head.date < SINCE,
        dealt=checked.proved,
        wrong=len(checked.faults),
    )


def noted(text: str) -> str:
    """A fingerprint as somebody typed it. Raises ValueError, saying how it is written."""
    bare = re.sub(r"\s+", "", text).lower().strip("`…")
    if re.fullmatch(rf"[0-9a-f]{{{SHORTEST},64}}", bare) is None:
        raise ValueError(f"{text!r} is no fingerprint; it has 64 hexadecimal digits, or the first {SHORTEST} at least")
    return bare


def _is_there(text: str, added: Sequence[str]) -> bool:
    meant = {text.lower(), " ".join(unicodedata.normalize("NFC", text).split())}
    if re.fullmatch("[0-9]{1,20}", text, re.ASCII):
        meant.add(contribution_of(int(text)))
    return any(one in meant for one in added if one)
