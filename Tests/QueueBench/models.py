"""Writes the fitted models as Swift: each part of the file has the date and the worlds of its fit."""
import pathlib
import re
import textwrap

PATH = pathlib.Path(__file__).parents[2] / "Sources/Measure/Queueing/Line/FittedModels.swift"
MODES = ["direct", "browsing"]


def numbers(values, digits=4):
    return [f"{value:.{digits}f}" for value in values]


def line_edge(values, proposal=""):
    """A constant, nine bins at the entry and nine at the till, and the own levels at both."""
    entry, till, own = numbers(values[1:10]), numbers(values[10:19]), numbers(values[19:21])
    return (f"LineModel.Edge(constant: {values[0]:.3f}{proposal}, entry: [{', '.join(entry)}], till: [{', '.join(till)}],"
            f" ownEntry: {own[0]}, ownTill: {own[1]})")


def weights(entry, till, loudest):
    return "Weights(entry: {}, till: {}, loudest: {})".format(*numbers([entry, till, loudest]))


def ends(entry, till):
    return "LineEnds(entry: {}, till: {})".format(*numbers([entry, till]))


def line(mode, values):
    """Edges of joining and leaving, and a second in line, as `fit` has them: means have the loudest gateway first."""
    stay = values[42:]
    (near_loudest, *near), (wide_loudest, *wide) = stay[1:4], stay[4:7]
    return (f"extension LineModel {{\npackage static let {mode} = LineModel(\n"
            f"join: {line_edge(values[:21], ' + proposal').replace('LineModel.', '')},\n"
            f"leave: {line_edge(values[21:42]).replace('LineModel.', '')},\n"
            f"stay: Stay(bound: {stay[10]:.4f}, offset: {stay[11]:.4f}, constant: {stay[0]:.4f},\n"
            f"near: {weights(*near, near_loudest)},\nwide: {weights(*wide, wide_loudest)},\nown: {weights(*stay[7:10])}))\n}}\n")


def visit(mode, constant, values):
    """The gain, the length and its square, the levels and the score of a second in line, and both edges."""
    return (f"extension VisitModel {{\nstatic let {mode} = VisitModel(\njoining: {line_edge([constant, *values[7:27]])},\n"
            f"leaving: {line_edge([0, *values[27:47]])},\nstaying: {weights(*values[3:6])},\n"
            f"stay: {values[6]:.4f}, length: {values[1]:.4f}, lengthSquare: {values[2]:.4f}, gain: {values[0]:.4f})\n}}\n")


def giving_up(constant, values):
    """For joining and leaving: the entry before, at and after the edge, and the till."""
    def edge(six):
        return "Edge(" + ",\n".join(f"{name}: {ends(six[index], six[index + 3])}"
                                    for index, name in enumerate(["before", "at", "after"])) + ")"
    return (f"extension GivingUpModel {{\nstatic let fitted = GivingUpModel(\nconstant: {constant:.3f},\n"
            f"joining: {edge(values[:6])},\nleaving: {edge(values[6:])})\n}}\n")


def presence(mode, constant, values):
    """The own levels, three means, two pairs of peaks, and what the decoder knows."""
    own, short, medium, long = ends(*values[:2]), weights(*values[2:5]), weights(*values[5:8]), weights(*values[8:11])
    margin, lagged, age, seen, joining, staying = numbers(values[15:21])
    return (f"extension PresenceModel {{\nstatic let {mode} = PresenceModel(\nlevels: Levels(\nown: {own},\nshort: {short},\n"
            f"medium: {medium},\nlong: {long},\nslowPeaks: {ends(*values[11:13])},\nfastPeaks: {ends(*values[13:15])}),\n"
            f"margin: {margin}, laggedMargin: {lagged}, age: {age}, seen: {seen},\njoining: {joining}, staying: {staying},"
            f" constant: {constant:.4f})\n}}\n")


def write(part, date, worlds, *swift, path=PATH):
    """Replaces a part of the file: `direct`, `browsing` or `giving up`."""
    comment = textwrap.fill(f"Fitted on {date}: {worlds}", 110, initial_indent="// ", subsequent_indent="// ",
                            break_on_hyphens=False)
    text = f"// MARK: fit, {part}\n{comment}\n\n" + "\n".join(swift)
    old = path.read_text()
    new, count = re.subn(rf"// MARK: fit, {part}\n.*?(?=// MARK: |\Z)", lambda _: text + "\n", old, flags=re.S)
    if not count:
        raise SystemExit(f"{path}: no part '{part}'")
    path.write_text(new)
