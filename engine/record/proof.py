"""What a record, and the fingerprint shown in the lobby, prove about the deals of a match."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from engine.match.shuffle import FIRST, commitment, contribution_of
from engine.record.reading import Record
from engine.record.record_rerun import Rerun

SINCE: Final = "2026-11-22"  # from this day on all seats add entropy; older records cannot have any
SHORTEST: Final = 32
"""Fewest hexadecimal digits of a fingerprint; a shorter one can be the same for two prepared secrets."""

Fingerprint = Literal["none", "same", "other"]  # result of comparing a user's fingerprint with the record's secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The findings. A match is fair if its deals could not be chosen, and no rule was broken."""

    fingerprint: Fingerprint
    found: str  # fingerprint of the record's secret, 64 hexadecimal digits; empty without a secret
    contributions: tuple[str, ...]  # entropy by seat; empty entries for none
    silent: tuple[int, ...]  # seats of users without entropy
    mine: tuple[tuple[str, bool], ...]  # entropy that the user claims, and whether the record has it
    early: bool  # whether entropy did not exist yet: a record with version 1 of the shuffle, of its time
    dealt: bool  # whether every deal is the shuffle of the secret with the entropy
    wrong: int  # number of wrong lines

    @property
    def fair(self) -> bool:
        """Whether all of it holds."""
        added = self.early or not self.silent
        there = all(found for _, found in self.mine)
        return self.fingerprint == "same" and added and there and self.dealt and not self.wrong


def prove(record: Record, checked: Rerun, fingerprint: str = "", mine: Sequence[str] = ()) -> Proof:
    """Compare a record, re-run to its end, with a `fingerprint` from `noted` and with entropy that a user claims: a
    word, an interaction id, or the 64 digits of its hash.
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
    """Normalise a typed fingerprint. Raises ValueError with the expected form."""
    bare = re.sub(r"\s+", "", text).lower().strip("`…")
    if re.fullmatch(rf"[0-9a-f]{{{SHORTEST},64}}", bare) is None:
        raise ValueError(f"{text!r} is no fingerprint; it has 64 hexadecimal digits, or the first {SHORTEST} at least")
    return bare


def _is_there(text: str, added: Sequence[str]) -> bool:
    meant = {text.lower(), " ".join(unicodedata.normalize("NFC", text).split())}
    if re.fullmatch("[0-9]{1,20}", text, re.ASCII):
        meant.add(contribution_of(int(text)))
    return any(one in meant for one in added if one)
