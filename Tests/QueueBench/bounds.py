"""The bounds of the bench's figures, and their table."""
import dataclasses, math


@dataclasses.dataclass
class Bound:
    """A measured figure, and the range that it must be in."""
    figure: str
    value: float
    at_least: float = -math.inf
    at_most: float = math.inf

    @property
    def is_met(self):
        return self.at_least <= self.value <= self.at_most


def row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def head(columns, texts=1):
    """The first columns are texts, the others numbers."""
    row(columns)
    print("|" + "---|" * texts + "--:|" * (len(columns) - texts), flush=True)


def report(bounds):
    """Prints each bound beside its figure; returns whether all are met."""
    print("The bounds. Shares are of 1.\n")
    number = lambda value: f"{value:.4g}" if math.isfinite(value) else "–"
    head(["figure", "", "measured", "at least", "at most"], texts=2)
    for bound in bounds:
        row([bound.figure, "met" if bound.is_met else "**missed**", *map(number, (bound.value, bound.at_least, bound.at_most))])
    return all(bound.is_met for bound in bounds)
