#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tunes every row's kernel, measures it in turns with what it is compared with, prints a table and writes
the samples. bench.sh, which has built the programs, calls it:

  measure.py PROGRAMS WORK --seconds S [--part PART] [--emulated]

What is missing (a program, PyTorch, cuBLAS) leaves its rows out, and the table says so. A row is measured with
what the store has, in mode `locked`, by programs that were started anew. The rows of a PART (rows.py) join those that
WORK/results/DEVICE.json has of the same machine (results.py). BENCH_VERSION: what was measured, for the rows.

Exit status 1: nothing could be measured, or a variant of a lesson was wrong, crashed or timed out."""
import argparse
import datetime
import os
import statistics
import sys
import time

import machine
import results
import rows as rows_of
from servers import Servers

ROUNDS, SAMPLES = 5, 7   # the sides of a row take turns ROUNDS times, SAMPLES launches each
MEASURING = 0.3          # of the time is kept for it
ANSWER = 0.5             # of the time that is left goes to one answer, at most
TUNING = 0.35            # of it is the budget of one tuning, at most: an answer is the tuning and what comes with it
LAUNCH_BATCHES = 61
# Seconds that an answer may take beside tuning: for a context, for PyTorch to be loaded.
PATIENCE = float(os.environ.get("BENCH_PATIENCE", 30))
SILENCES = 2             # a program that gave no answer in time so often is not asked any more


def note(text):
    print(text, flush=True)


class Bench:
    def __init__(self, programs, work, deadline, emulated, part=None):
        self.programs, self.deadline, self.emulated = programs, deadline, emulated
        self.rows = rows_of.all_rows(emulated, part)
        self.servers = Servers(programs, os.path.join(work, "logs", "programs.log"), sys.executable,
                               os.path.dirname(os.path.abspath(__file__)))
        self.missing = {}       # program or command: why
        self.first = {}         # command: seconds of the first call, tuning included
        self.silences = {}      # program: answers that did not come in time

    def left(self):
        return self.deadline - time.monotonic()

    def present(self, program):
        if program not in self.missing and program != "torch" and \
           not os.access(os.path.join(self.programs, program), os.X_OK):
            self.missing[program] = "was not built"
        return program not in self.missing

    def ask(self, program, env, command, seconds):
        seconds = min(seconds, ANSWER * max(PATIENCE, self.left()))
        reply = self.servers.get(program, env).ask(command, seconds)
        if reply.get("silent"):
            self.silences[program] = self.silences.get(program, 0) + 1
            if self.silences[program] == SILENCES:
                self.missing[program] = f"gave no answer, {SILENCES} times"
        return reply

    # ---- tuning ----

    def tune(self):
        """Each kernel and size once. The first size of a kernel gets four times the budget of others, which
        begin with what won there."""
        todo, seen = [], set()
        for row in self.rows:
            other = row.other[0] if row.other else row.program
            if row.command not in seen and self.present(row.program) and self.present(other):
                seen.add(row.command)
                todo.append(row)
        time_for_all = self.left() * (1 - MEASURING)
        end = time.monotonic() + time_for_all
        for i, row in enumerate(todo):
            if not self.present(row.program):
                continue
            shares = [4 if r.first_of else 1 for r in todo[i:]]
            budget = 0.85 * max(0, end - time.monotonic()) * shares[0] / sum(shares)
            if budget < 1:
                self.missing.update({r.command: "no time was left to tune it" for r in todo[i:]})
                note(f"no time left to tune {len(todo) - i} of {len(todo)}")
                break
            self.tune_one(row, min(budget, TUNING * self.left(), 60))
        self.servers.stop()

    def tune_one(self, row, budget):
        few = ",2" if self.emulated else ""  # variants
        env = {"AUTOTUNE_MODE": "first", "AUTOTUNE_BUDGET": f"{budget:.1f}s{few}"}
        reply = self.ask(row.program, env, f"{row.command} 0", 2 * budget + PATIENCE)
        self.servers.stop(row.program)
        if "error" in reply:
            self.missing[row.command] = reply["error"]
            note(f"{row.command}: {reply['error']}")
        else:
            self.first[row.command] = reply.get("first")
            note(f"{row.command}: first call {reply.get('first', 0):.1f} s (budget {budget:.1f} s)")

    # ---- measuring ----

    def sample(self, side, samples):
        program, command = side
        if not self.present(program):
            return {"error": f"{program} {self.missing[program]}"}
        if command in self.missing and program not in ("torch", "reference"):
            return {"error": self.missing[command]}
        env = {} if program in ("torch", "reference") else {"AUTOTUNE_MODE": "locked"}
        return self.ask(program, env, f"{command} {samples}", PATIENCE)

    def measure(self, row):
        """The row as it is written: with "value", or with "left_out"."""
        out = {"row": row.name, "command": row.command, "against": row.against, "kind": row.kind,
               "targets": list(row.targets), "first_call": self.first.get(row.command)}
        if row.kind == "extra":
            return self.measure_launch(row, out)
        if not self.present(row.other[0]):
            return {**out, "left_out": f"{row.other[0]} {self.missing[row.other[0]]}"}
        ours, theirs, bytes_of = [], [], []
        for _ in range(ROUNDS):
            for side, times in (((row.program, row.command), ours), (row.other, theirs)):
                if self.left() < 3:
                    return {**out, "left_out": "no time was left"}
                reply = self.sample(side, SAMPLES)
                if "error" in reply:
                    return {**out, "left_out": f"{side[0]}: {reply['error']}"}
                times += reply["samples"]
                bytes_of.append(reply.get("bytes", 0))
                if "backend" in reply:
                    out["backend"] = reply["backend"]
        times = statistics.median(ours), statistics.median(theirs)
        value = times[1] / times[0]
        if row.kind == "rate":
            value *= bytes_of[0] / bytes_of[1]
            out["rates"] = [bytes_of[0] / times[0], bytes_of[1] / times[1]]
        return {**out, "value": value, "seconds": times[0], "other_seconds": times[1],
                "flushed": True, "samples": ours, "other_samples": theirs}

    def measure_launch(self, row, out):
        reply = self.sample((row.program, row.command), LAUNCH_BATCHES)
        if "error" in reply:
            return {**out, "left_out": reply["error"]}
        times = statistics.median(reply["tuned"]), statistics.median(reply["direct"])
        return {**out, "value": 1e9 * (times[0] - times[1]), "seconds": times[0],
                "other_seconds": times[1], "samples": reply["tuned"], "other_samples": reply["direct"]}

    def about_torch(self):
        if not any(row.other and row.other[0] == "torch" for row in self.rows):
            return None
        about = self.servers.get("torch").ask("about", 60)
        self.servers.stop("torch")  # tuning wants its memory
        if "error" in about:
            self.missing["torch"] = "cannot be used (see programs.log)"
            note(f"PyTorch: {about['error']}: its rows are left out")
            return None
        note("PyTorch " + ", ".join(f"{key} {value}" for key, value in about.items()))
        return about

    def run(self, save):
        """Calls SAVE with what PyTorch says of itself, and the rows so far, after each row."""
        torch = self.about_torch()
        self.tune()
        measured = []
        note(HEAD)
        for row in self.rows:
            measured.append(self.measure(row))
            note(line_of(measured[-1]))
            save(torch, measured)
        self.servers.stop()
        return measured


# ---- the table ----

HEAD = f"{'kernel':<28} {'against':<15} {'target':>12} {'measured':>10}  reached"


def reached(row):
    """How many of its targets; None where it has none."""
    if not row["targets"] or "value" not in row:
        return None
    if row["kind"] == "extra":
        return sum(row["value"] <= t for t in row["targets"])
    return sum(row["value"] >= t for t in row["targets"])


def line_of(row):
    unit = " ns" if row["kind"] == "extra" else ""
    sign = "<= " if row["kind"] == "extra" else ">= "
    targets = sign + ", ".join(f"{t:g}" for t in row["targets"]) + unit if row["targets"] else "-"
    if "left_out" in row:
        return f"{row['row']:<28} {row['against']:<15} {targets:>12} {'-':>10}  {row['left_out']}"
    n = reached(row)
    word = "" if n is None else "MISSED" if n == 0 else \
        "reached" if n == len(row["targets"]) else f"{row['targets'][n - 1]:g} reached"
    detail = f"{1e3 * row['seconds']:.4g} ms against {1e3 * row['other_seconds']:.4g} ms"
    if "rates" in row:
        detail = f"{1e-9 * row['rates'][0]:.0f} of {1e-9 * row['rates'][1]:.0f} GB/s"
    elif row["kind"] == "extra":
        detail = f"{1e9 * row['seconds']:.0f} ns against {1e9 * row['other_seconds']:.0f} ns"
    if "backend" in row:
        detail += f", {row['backend']}"
    value = f"{row['value']:.0f} ns" if row["kind"] == "extra" else f"{row['value']:.3f}"
    return f"{row['row']:<28} {row['against']:<15} {targets:>12} {value:>10}  {word:<12} {detail}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("work")
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--part")
    parser.add_argument("--emulated", action="store_true")
    a = parser.parse_args()
    os.makedirs(os.path.join(a.work, "logs"), exist_ok=True)
    bench = Bench(a.programs, a.work, time.monotonic() + a.seconds, a.emulated, a.part)
    about = machine.about(a.emulated)
    about["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")
    path = results.file_of(a.work, about)
    origin = {"date": about["date"], "version": os.environ.get("BENCH_VERSION")}

    def save(torch, rows, report=None):
        if any("value" in row for row in rows):
            result = {"machine": {**about, "torch": torch}, "emulated": a.emulated,
                      "rows": [{**row, **origin} for row in rows], "report": report}
            results.write(path, results.joined(path, result))

    measured = bench.run(save)
    if all("left_out" in row for row in measured):
        note("nothing could be measured")
        return 1
    report = results.report_of()
    save(None, measured, report)
    missed = sum(reached(r) == 0 for r in measured)
    left_out = sum("left_out" in r for r in measured)
    if a.emulated:
        note("emulated on the CPU: these are no figures of a GPU")
    note(f"{missed} below target, {left_out} left out; L2 flushed before each sample of a kernel's time; "
         f"raw figures in {path}")
    failures = list(results.failures(report, a.emulated))
    for line in failures:
        note(line)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
