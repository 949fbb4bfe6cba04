"""What a record, and the fingerprint shown in the lobby, prove about the deals of a match."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from engine.match.shuffle import SECRET_VERSION, compute_commitment, hash_interaction
from engine.record.reading import Record
from engine.record.record_rerun import Rerun

ENTROPY_SINCE: Final = "2026-11-22"  # from this day on all seats add entropy; older records cannot have any
MIN_FINGERPRINT_DIGITS: Final = 32
"""Fewest hexadecimal digits of a fingerprint; a shorter one can be the same for two prepared secrets."""

Fingerprint = Literal["none", "same", "other"]  # result of comparing a user's fingerprint with the record's secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The findings. A match is fair if its deals could not be chosen, and no rule was broken."""

    fingerprint: Fingerprint
    record_fingerprint: str  # fingerprint of the record's secret, 64 hexadecimal digits; empty without a secret
    contributions: tuple[str, ...]  # entropy by seat; empty entries for none
    silent_seats: tuple[int, ...]  # seats of users without entropy
    claimed_entropy: tuple[tuple[str, bool], ...]  # entropy that the user claims, and whether the record has it
    predates_entropy: bool  # whether entropy did not exist yet: a record with version 1 of the shuffle, of its time
    has_right_deals: bool  # whether every deal is the shuffle of the secret with the entropy
    wrong_lines: int  # number of wrong lines

    @property
    def is_fair(self) -> bool:
        """Whether every finding speaks for a fair match."""
        all_contributed = self.predates_entropy or not self.silent_seats
        claims_found = all(found for _, found in self.claimed_entropy)
        return (
            self.fingerprint == "same"
            and all_contributed
            and claims_found
            and self.has_right_deals
            and not self.wrong_lines
        )


def prove(record: Record, checked: Rerun, fingerprint: str = "", claims: Sequence[str] = ()) -> Proof:
    """Compare a record, re-run to its end, with a `fingerprint` from `normalize_fingerprint` and with entropy that a
    user claims: a word, an interaction id, or the 64 digits of its hash.
    """
    head = record.header
    found = compute_commitment(bytes.fromhex(head.secret)) if head.secret else ""
    same: Fingerprint = "same" if found.startswith(fingerprint) and found else "other"
    added = head.contributions or ("",) * head.seats
    user_seats = [seat for seat in range(head.seats) if seat not in head.computers]
    return Proof(
        fingerprint=same if fingerprint else "none",
        record_fingerprint=found,
        contributions=added,
        silent_seats=tuple(seat for seat in user_seats if not added[seat]),
        claimed_entropy=tuple((text, _has_contribution(text, added)) for text in claims),
        predates_entropy=head.shuffle == SECRET_VERSION and head.date < ENTROPY_SINCE,
        has_right_deals=checked.is_proved,
        wrong_lines=len(checked.faults),
    )


def normalize_fingerprint(text: str) -> str:
    """Normalise a typed fingerprint. Raises ValueError with the expected form."""
    bare = re.sub(r"\s+", "", text).lower().strip("`…")
    if re.fullmatch(rf"[0-9a-f]{{{MIN_FINGERPRINT_DIGITS},64}}", bare) is None:
        raise ValueError(
            f"{text!r} is no fingerprint; it has 64 hexadecimal digits, or the first {MIN_FINGERPRINT_DIGITS} at least"
        )
    return bare


def _has_contribution(text: str, added: Sequence[str]) -> bool:
    accepted = {text.lower(), " ".join(unicodedata.normalize("NFC", text).split())}
    if re.fullmatch("[0-9]{1,20}", text, re.ASCII):
        accepted.add(hash_interaction(int(text)))
    return any(one in accepted for one in added if one)
