"""The laboratory's Vega-Lite theme in light colours, for figures that are drawn outside of a report."""

import json
import pathlib

THEME = pathlib.Path(__file__).parent / "assets" / "theme.json"


def theme():
    """@return a Vega-Lite config, and the colours by name"""
    text = THEME.read_text()
    colours = json.loads(text)["colours"]["light"]
    return json.loads(coloured(text, colours))["config"], colours


def coloured(text, colours):
    """JSON with colours in place of their names."""
    for name, colour in colours.items():
        text = text.replace(f'"{name}"', f'"{colour}"')
    return text
