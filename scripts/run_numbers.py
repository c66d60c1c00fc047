"""The numbers of a run, for texts with places: {name:0%} in percent, {name:2} with two decimals, {name} with three digits;
{name.low} and {name.high} are its interval, {name.null} and {name.control} the null and the positive control."""

import decimal
import math
import textwrap


def halves_up(value, step):
    """As the report rounds: Python would take 3458.5 and 2.25 to the even digit."""
    return float(decimal.Decimal(value).quantize(decimal.Decimal(step), decimal.ROUND_HALF_UP))


def figure(value):
    if value is None:
        return "–"
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{int(value):,}"
    if abs(value) >= 999.5:  # rounded to three digits it is 1000
        return f"{halves_up(value, 1):,.0f}"
    if abs(value) < 1e-3:
        return f"{value:.1e}"
    return f"{halves_up(value, f'1e{math.floor(math.log10(abs(value))) - 2}'):.3g}"


class Shown:
    """A number as a text shows it."""

    def __init__(self, value, language, **others):
        self.value, self.language = value, language
        vars(self).update({name: Shown(other, language) for name, other in others.items() if other is not None})

    def __format__(self, digits):
        if not digits:
            return figure(self.value)
        percent = digits.endswith("%")
        digits = int(digits.removesuffix("%"))
        text = f"{halves_up(100 * self.value if percent else self.value, f'1e-{digits}'):,.{digits}f}"
        return text.replace("-", "−") + {"en": " %", "zh": "%"}[self.language] * percent


def shown(number, language):
    low, high = number["interval"] or (None, None)
    null_low, null_high = number.get("null_interval") or (None, None)
    return Shown(number["value"], language, low=low, high=high, null=number["null"], null_low=null_low, null_high=null_high, control=number["control"])


def numbers_of(claim, language):
    """By name, of a claim of results.json."""
    return {name: shown(number, language) for name, number in claim["numbers"].items()}


def filled(text, width, **options):
    """The text in lines of at most `width`, each percent sign behind its number. Options as of textwrap.fill."""
    return textwrap.fill(text.replace(" %", "\u00a0%"), width, **options).replace("\u00a0", " ")
