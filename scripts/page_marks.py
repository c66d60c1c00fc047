"""The part of a page that a script writes, between two marks."""

import sys


def between(page, begin, end, text):
    """The page with the text between the marks, each of which stands in it once."""
    if page.count(begin) != 1 or page.count(end) != 1:
        sys.exit(f"expected the marks {begin} and {end} once each, got {page.count(begin)} and {page.count(end)}")
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}{text}{end}{after}"
