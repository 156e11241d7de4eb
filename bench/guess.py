#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""guess.py [-o FILE] ROWS…: fits the weights of runtime/tune/guess.c to the stores that bench/guess.sh left in the
folders ROWS, and writes them to FILE (runtime/tune/guess.inc). Of a variant in several folders the least time counts:
on a machine that does other work, collect several times.

The logarithm of a variant's cost over the kernel's best, at most 4 x, is fitted by a linear function of
guess_features, both less their means over the kernel: ridge regression, each kernel counts the same. Printed is how
often one of the first three variants takes at most 1.5 x the best that was seen of the kernel: as the tuner began
without guesses (the kernel as written with its first flags, the original values, then random points), and with three
guesses after the kernel as written, where neither the weights nor the choice have seen any program of that kernel."""
import glob
import math
import os
import random
import re
import sqlite3
import struct
import sys

NAMES = "threads tiled tile inner_tile jam unroll simd inner dynamic fast_math wide".split()
CAP, RIDGE, SHRINK, POOL, WORLDS, CLOSE, FIRST, DRAWS = 2, 0.1, 0.3, 64, 64, 1.5, 3, 10
OK, TIMEOUT = 0, 5


def params_of(text):
    fields = [line.split("\t") for line in text.split("\n")]
    return [dict(name=f[0], kind=f[1], when=int(f[2]), original=int(f[3]) if int(f[3]) < len(f[4:]) else 0,
                 values=f[4:]) for f in fields if len(f) > 4]


def rows_of(store, problem, params):
    rows = []
    query = "SELECT vals, fate, samples, part FROM variant WHERE problem = ?"
    for text, fate, samples, part in store.execute(query, (problem,)):
        values = dict(line.split("=", 1) for line in text.split("\n") if line)
        times = struct.unpack(f"<{len(samples or b'') // 8}d", samples or b"")
        if fate == TIMEOUT or (fate == OK and times):
            point = [p["values"].index(values[p["name"]]) for p in params]
            rows.append((point, min(times) / (part or 1) if fate == OK else None))
    slowest = max((seconds for _, seconds in rows if seconds), default=0)
    return [(point, seconds or 2 * slowest) for point, seconds in rows]


def merge(rows, more):
    """Adds another measurement of a kernel to ROWS."""
    known = {tuple(point): seconds for point, seconds in rows}
    for point, seconds in more:
        known[tuple(point)] = min(known.get(tuple(point), math.inf), seconds)
    return [(list(point), seconds) for point, seconds in known.items()]


def read(folders):
    kernels = {}
    for path in sorted(path for folder in folders for path in glob.glob(folder + "/*.db")):
        program = os.path.basename(path)[:-3]
        with sqlite3.connect(path) as store:
            found = store.execute("SELECT id, kernel, threads, params FROM problem JOIN asked ON problem = id").fetchall()
            for problem, name, threads, text in found:
                params = params_of(text)
                rows = rows_of(store, problem, params)
                k = kernels.setdefault((program, problem), dict(
                    program=program, name=name, threads=threads, params=params, rows=[],
                    stem=re.sub("[-_]|beta", "", program.split("-", 1)[1])))  # the same for all programs of a kernel
                k["rows"] = merge(k["rows"], rows)
    for k in kernels.values():
        k["directed"] = [r for r in k["rows"] if has_directive(k, r[0])]
    return [k for k in kernels.values() if len(k["directed"]) >= 8]


# ---- as in guess.c ----

DIRECTIVES = ("tile", "unroll_and_jam", "unroll", "simd", "interchange", "schedule")


def directive(p):
    word, at, _ = p["name"].partition("@")
    return word if at and word in DIRECTIVES else None


def matters(params, point, i):
    when = params[i]["when"]
    while when >= 0:
        if params[when]["values"][point[when]] == "no":
            return False
        when = params[when]["when"]
    return True


def has_directive(k, point):
    return any(directive(p) and matters(k["params"], point, i) for i, p in enumerate(k["params"]))


def log_of(value):
    return math.log2(max(int(value), 1))


def features(k, point):
    x = dict.fromkeys(NAMES, 0.0)
    sizes = {"tile": {}, "unroll_and_jam": {}, "unroll": {}}
    offered = sum(directive(p) == "tile" and p["kind"] == "int" for p in k["params"])
    for i, p in enumerate(k["params"]):
        word, value = directive(p), p["values"][point[i]]
        if not matters(k["params"], point, i):
            continue
        if word in sizes and p["kind"] == "int":
            sizes[word].setdefault(p["name"].split(".")[0], []).append(log_of(value))
        elif word == "simd":
            x["simd"] += value != "no"
        elif word == "interchange":
            places = re.findall("[0-9]+", value)
            x["inner"] += bool(places) and int(places[-1]) != len(places)
        elif word == "schedule":
            x["dynamic"] += value in ("dynamic", "guided")
        elif not word and p["kind"] == "int" and "THREAD" in p["name"].upper():
            x["threads"] = min(log_of(value), math.log2(k["threads"]))
        elif p["kind"] == "flags":
            x["fast_math"] = float("-ffast-math" in value)
            x["wide"] = float("-mprefer-vector-width=512" in value)
    tiles = list(sizes["tile"].values())
    if tiles:
        every = sum(tiles, [])
        x["tiled"] = len(every) / offered
        x["tile"] = sum(every) / len(every) - 6
        x["inner_tile"] = sum(t[-1] for t in tiles) / len(tiles) - 6
    for name, word in (("jam", "unroll_and_jam"), ("unroll", "unroll")):
        if sizes[word]:
            x[name] = sum(sum(f) for f in sizes[word].values()) / len(sizes[word])
    return [x[n] for n in NAMES]


def guess(k, rows, weights, n, draw):
    x = [features(k, point) for point, _ in rows]
    worlds = [[mean + spread * draw.gauss(0, 1) for mean, spread in weights] for _ in range(WORLDS)]
    costs = [[sum(w * f for w, f in zip(world, row)) for world in worlds] for row in x]
    best, taken = [math.inf] * WORLDS, []
    while len(taken) < min(n, len(rows)):
        i = min((i for i in range(len(rows)) if i not in taken), key=lambda i: sum(map(min, best, costs[i])))
        best = list(map(min, best, costs[i]))
        taken.append(i)
    return [rows[i] for i in taken]


# ---- the fit ----

def solve(a, b):
    n = len(b)
    m = [row + [value] for row, value in zip(a, b)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(m[r][i]))
        m[i], m[pivot] = m[pivot], m[i]
        for r in range(i + 1, n):
            factor = m[r][i] / m[i][i]
            m[r] = [x - factor * y for x, y in zip(m[r], m[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (m[i][n] - sum(m[i][j] * x[j] for j in range(i + 1, n))) / m[i][i]
    return x


def prepare(k):
    def centred(columns):
        means = [sum(c) / len(c) for c in columns]
        return [[v - mean for v in c] for c, mean in zip(columns, means)]
    rows = k["directed"]
    best = min(seconds for _, seconds in rows)
    x = centred(list(zip(*(features(k, point) for point, _ in rows))))
    y = centred([[min(math.log2(seconds / best), CAP) for _, seconds in rows]])[0]
    k["a"] = [[sum(p * q for p, q in zip(u, v)) / len(rows) for v in x] for u in x]
    k["b"] = [sum(p * q for p, q in zip(u, y)) / len(rows) for u in x]


def fit(kernels):
    """Returns the mean and the spread of each weight."""
    n = range(len(NAMES))
    a = [[sum(k["a"][i][j] for k in kernels) for j in n] for i in n]
    for i in n:
        a[i][i] += RIDGE * max(a[i][i], 1e-3) / len(kernels)
    means = solve(a, [sum(k["b"][i] for k in kernels) for i in n])
    spreads = []
    apart = [solve([[k["a"][i][j] + (i == j) * SHRINK for j in n] for i in n],
                   [k["b"][i] - sum(k["a"][i][j] * means[j] for j in n) for i in n]) for k in kernels]
    for i in n:
        squares = [own[i] ** 2 for own, k in zip(apart, kernels) if k["a"][i][i] > 1e-6]
        spreads.append(math.sqrt(sum(squares) / len(squares)) if squares else 0.0)
    return list(zip(means, spreads))


# ---- figures ----

def ratio(k, rows):
    """How many times the best of all ROWS' best takes."""
    return min(seconds for _, seconds in rows) / min(seconds for _, seconds in k["rows"])


def as_written(k, flags):
    return [r for r in k["rows"] if not has_directive(k, r[0])][:flags]


def before(k, draw):
    flags = next((len(p["values"]) for p in k["params"] if p["kind"] == "flags"), 1)
    original = [p["original"] for p in k["params"]]
    first = as_written(k, min(flags, 4)) + [r for r in k["directed"] if r[0] == original]
    return (first + draw.sample(k["rows"], min(FIRST, len(k["rows"]))))[:FIRST]


def after(k, weights, draw):
    first = as_written(k, 1)
    pool = draw.sample(k["directed"], min(POOL, len(k["directed"])))
    return first + guess(k, pool, weights, FIRST - len(first), draw)


def main():
    out = sys.argv[2] if sys.argv[1] == "-o" else None
    kernels = read(sys.argv[3:] if out else sys.argv[1:])
    draw = random.Random(1)
    for k in kernels:
        prepare(k)
    shares, logs = [0.0, 0.0], [0.0, 0.0]
    print(f"{'program':28} variants  before   with")
    for k in kernels:
        weights = fit([o for o in kernels if o["stem"] != k["stem"]])
        row = f"{k['program']:28} {len(k['rows']):8}"
        for side, first in enumerate((lambda: before(k, draw), lambda: after(k, weights, draw))):
            ratios = [ratio(k, first()) for _ in range(DRAWS)]
            share = sum(r <= CLOSE for r in ratios) / DRAWS
            shares[side] += share / len(kernels)
            logs[side] += sum(map(math.log, ratios)) / DRAWS / len(kernels)
            row += f" {share:7.2f}"
        print(row)
    stems = len({k["stem"] for k in kernels})
    for side, name in enumerate(("before", "with guesses")):
        print(f"{name}: {shares[side]:.3f} within {CLOSE} x, the best of three takes {math.exp(logs[side]):.2f} x the best")
    weights = fit(kernels)
    for name, (mean, spread) in zip(NAMES, weights):
        print(f"{name:12} {mean:8.4f} {spread:7.4f}")
    if out:
        with open(out, "w") as f:
            f.write("// SPDX-License-Identifier: Apache-2.0\n"
                    "// Made by: bench/guess.sh build ROWS POLYBENCH && bench/guess.py -o runtime/tune/guess.inc ROWS\n"
                    f"// From {len(kernels)} programs of {stems} kernels.\n")
            f.writelines(f"[GUESS_{name.upper()}] = {{ {mean:.4f}, {spread:.4f} }},\n"
                         for name, (mean, spread) in zip(NAMES, weights))


main()
