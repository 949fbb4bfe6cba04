"""Numbers as a language writes them, where that differs: large ones, tenths, and parts of a hundred."""

from typing import Self

from data.words import Words


class Grouped(int):
    """A number in groups of three digits: `11,853,792`, `11.853.792`."""

    language: str

    def __new__(cls, number: int, language: str) -> Self:
        made = super().__new__(cls, number)
        made.language = language
        return made

    def __format__(self, spec: str) -> str:
        # As for plurals: it takes longer to import than anything else here.
        from babel.numbers import format_decimal

        return format_decimal(int(self), locale=self.language)


def tenths_text(words: Words, number: float) -> str:
    """With one digit after the point, or the comma: `0.3`, `0,3`."""
    from babel.numbers import format_decimal

    return format_decimal(number, "#,##0.0", locale=words.language)


def percent_text(words: Words, share: float) -> str:
    """`42%`, or `42 %` where a language leaves room before the sign. What is not whole is cut off."""
    from babel.numbers import format_percent

    return format_percent(int(100 * share) / 100, locale=words.language)
