# SPDX-License-Identifier: Apache-2.0
"""Files of results, one for each device, and the join of two of them. bench.sh calls it:

  results.py join FILE FOLDER   FOLDER/NAME of FILE gets FILE's rows
  results.py failures           prints which variants of lessons were wrong, crashed or timed out, as `autotune report`
                                says; exit status 1: there are some"""
import json
import os
import re
import subprocess
import sys

# What must be equal for rows to stand in one file. Each row has its own date and version.
MACHINE = ("device", "driver", "nvrtc", "nvcc", "system")
# Fates of variants that show an error in a kernel. An emulated device may be too slow for the limit of time.
FATES = ("wrong", "crash", "timeout", "exit")
EMULATED_FATES = ("wrong", "crash", "exit")


def file_of(work, about):
    name = re.sub(r"[^A-Za-z0-9]+", "-", about["device"] or "unknown").strip("-")
    return os.path.join(work, "results", f"{name}.json")


def key_of(row):
    return row["row"], row["against"]


def dated(result):
    """The rows; those of files that were written before rows had dates get the file's."""
    return [{"date": result["machine"].get("date"), **row} for row in result["rows"]]


def joined(path, result):
    """RESULT with what the file at PATH knows more of the same machine: rows that RESULT has not, or has no value for."""
    try:
        with open(path, encoding="utf-8") as file:
            before = json.load(file)
        same = before["emulated"] == result["emulated"] and \
            all(before["machine"].get(key) == result["machine"][key] for key in MACHINE)
        earlier = dated(before)
    except (OSError, ValueError, KeyError):
        same = False
    if not same:
        return result
    measured = {key_of(row) for row in earlier if "value" in row}
    rows = [row for row in result["rows"] if "value" in row or key_of(row) not in measured]
    names = {key_of(row) for row in rows}
    about = {**result["machine"], "torch": result["machine"]["torch"] or before["machine"].get("torch")}
    return {**result, "machine": about, "rows": [row for row in earlier if key_of(row) not in names] + rows,
            "report": result["report"] or before.get("report")}


def write(path, result):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    os.replace(path + ".new", path)


def join(path, folder):
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    to = os.path.join(folder, os.path.basename(path))
    write(to, joined(to, {**result, "rows": dated(result)}))


def report_of():
    """What `autotune report` says; None where the program cannot be run."""
    program = os.environ.get("BENCH_AUTOTUNE")
    try:
        done = subprocess.run([program, "report", "--json"], capture_output=True, timeout=30, check=True)
        return json.loads(done.stdout)
    except (TypeError, OSError, ValueError, subprocess.SubprocessError):
        return None


def failures(report, emulated):
    """A line for each lesson's kernel and key of which variants failed, by the report."""
    for kernel in (report or {}).get("kernels", []):
        if "examples/cuda/" not in kernel.get("file", ""):
            continue  # tests/cuda/device has variants that are to fail
        counts = [f"{kernel['variants'][fate]} {fate}" for fate in (EMULATED_FATES if emulated else FATES)
                  if kernel["variants"].get(fate)]
        if counts:
            yield f"{kernel['kernel']}: FAILED variants: {', '.join(counts)}"


if __name__ == "__main__":
    if sys.argv[1] == "join":
        join(sys.argv[2], sys.argv[3])
    else:
        found = list(failures(report_of(), bool(os.environ.get("BENCH_EMULATED"))))
        print("".join(line + "\n" for line in found), end="")
        sys.exit(bool(found))
