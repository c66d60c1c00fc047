"""The laboratory's Vega-Lite theme in light colours, for figures that are drawn outside of a report."""

import json
import pathlib

THEME = pathlib.Path(__file__).parent / "assets" / "theme.json"


def theme():
    """@return a Vega-Lite config, and the colours by name"""
    text = THEME.read_text()
    content = json.loads(text)
    for name, colour in sorted(content["colours"]["light"].items(), key=lambda pair: -len(pair[0])):
        text = text.replace(f'"{name}"', f'"{colour}"')
    return json.loads(text)["config"], content["colours"]["light"]
