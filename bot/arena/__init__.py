"""The arena: players against each other, without people and without Discord - levels, and other people's programs.

`boneyard duel`, `boneyard ladder` and `boneyard seat`; what they found stands in docs/strength.md.
"""
