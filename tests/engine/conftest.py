"""Settings of Hypothesis for the rules: the same examples in every run, and no time limit."""

from hypothesis import settings

from tests.depth import scale_count

settings.register_profile("rules", deadline=None, derandomize=True, database=None, max_examples=scale_count(15))
settings.load_profile("rules")
