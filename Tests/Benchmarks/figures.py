"""Shared by all parts of the benchmark: rows of the table, programs, captures, processor time."""

import dataclasses
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
BIN = None  # the folder of sightlined: set by run-benchmarks
TEMP = None  # the folder for all files; removed at the end
TOOLS = None  # the folder of an external yardstick and generator, if there is one


@dataclasses.dataclass
class Row:
    """A line of the table. A figure without a budget has no verdict."""

    figure: str
    measured: str
    budget: str = ""
    yardstick: str = ""
    ratio: str = ""
    kept: bool | None = None

    @property
    def verdict(self):
        return {None: "", True: "ok", False: "MISSED"}[self.kept]


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def compiled(source, *libraries):
    """Compiles a C source of this folder, or at a path, and returns the program."""
    path = source if os.path.isabs(source) else os.path.join(HERE, source)
    program = os.path.join(TEMP, os.path.splitext(os.path.basename(source))[0])
    if not os.path.exists(program):
        subprocess.run(["gcc", "-O3", "-march=native", "-o", program, path, *libraries], check=True)
    return program


def yardstick():
    return compiled(f"{TOOLS}/floor.c" if TOOLS else "yardstick.c", "-lm")


def capture(name, *options, own=True):
    """Generates a capture with these options; own=False prefers the external generator."""
    path = os.path.join(TEMP, name)
    if TOOLS and not own:
        generator = [sys.executable, f"{TOOLS}/gen_btsnoop.py"]
    else:
        generator = [compiled("generate.c")]
    subprocess.run([*generator, path, *map(str, options)], check=True, stdout=subprocess.DEVNULL)
    return path


def replay(path, *options):
    return [f"{BIN}/sightlined", *options, "--radio", f"replay:{path}", "--output", "-"]


def cpu_seconds(command):
    """The processor time of a whole program, including its start; discards its output.

    Wall time would include other work on the machine."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"benchmark: {' '.join(command)} exited {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def alternating(times, *measures):
    """The median of each measure. Each turn runs all measures once, so that disturbance affects all."""
    turns = [[measure() for measure in measures] for _ in range(times)]
    return [statistics.median(turn) for turn in zip(*turns)]


def show(rows):
    """Prints the table."""
    heads = ["figure", "measured", "budget", "yardstick", "ratio", ""]
    lines = [[r.figure, r.measured, r.budget, r.yardstick, r.ratio, r.verdict] for r in rows]
    widths = [max(map(len, column)) for column in zip(heads, *lines)]
    for line in [heads, ["-" * width for width in widths], *lines]:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:5], widths[1:5])]
        print("  ".join(cells + line[5:]).rstrip(), flush=True)
