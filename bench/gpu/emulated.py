# SPDX-License-Identifier: Apache-2.0
"""See emulated.sh. A program passes if it exits with 0, prints PASS or the like, and nothing like FAIL. Its arguments are those of
`make run` with one or two repetitions, made smaller until the program ends in time; the tuned run gets the same ones. A kernel that
`autotune cc` refuses keeps no line; the row counts them. The number of tunings is that of the rows in the results' store."""
import argparse
import collections
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

from corpus import PRAGMA, kernels_of, print_reasons

CHECKS = r"\b(PASS|FAIL)(ED)?\b"
GOOD = r"\b(pass(ed)?|success(ful|fully)?|correct|ok)\b"
BAD = r"\b(fail(ed|ure|ures)?|mismatch(es)?|incorrect|wrong|invalid|unsuccessful(ly)?)\b|\bcuda\s?error|" \
      r"(\b(not|no|never|without|cannot)|n't)\s+(\w+\s+)?(pass(ed|es)?|success(ful|fully)?|correct(ly)?|ok)\b"
SOURCES = (".cu", ".cuh", ".h", ".hpp", ".cpp", ".c")
Row = collections.namedtuple("Row", "name kernels lines built untuned tuned tunings arguments why")


def limited(words, seconds, cwd, env=None):
    """Runs WORDS in a session of its own, which ends with it. Returns the status (124: too late) and the output's last 64 KiB."""
    with tempfile.TemporaryFile() as out:
        with subprocess.Popen(words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                              start_new_session=True) as process:
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired:
                status = 124
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        out.seek(max(0, out.seek(0, os.SEEK_END) - 65536))
        return status, out.read().decode("utf-8", "replace")


def sources_of(folder):
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(SOURCES) and os.path.isfile(path):
            yield path


def read(path):
    with open(path, encoding="latin-1", newline="") as f:
        return f.read()


def checks_itself(folder):
    return any(re.search(CHECKS, literal) for path in sources_of(folder)
               for literal in re.findall(r'"(?:\\.|[^"\\\n])*"', read(path)))


def find(root, names):
    """The folders below ROOT that are programs for nvcc, by name."""
    found = {}
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and not re.search(r"-(hip|sycl|omp)$", f))
        name = re.sub(r"-cuda$", "", os.path.basename(folder))
        if "Makefile" in files and any(f.endswith(".cu") for f in files) and (name in names if names else checks_itself(folder)):
            found[name] = folder
    return found


def annotate(folder, but):
    """Puts the line on each kernel of the folder, but not on those whose (file, line) of the copy as it came is in BUT.
    Returns the numbers of kernels and of lines."""
    kernels = lines = 0
    for path in sources_of(folder):
        text = read(path)
        out, at = [], 0
        for kernel in kernels_of(path):
            kernels += 1
            if (os.path.basename(path), kernel.name) in but:
                continue
            before = text[at:kernel.start]
            begins = not before.rsplit("\n", 1)[-1].strip()
            out += [before, "" if begins else "\n", PRAGMA]
            at = kernel.start
            lines += 1
        if out:
            with open(path, "w", encoding="latin-1", newline="") as f:
                f.write("".join(out) + text[at:])
    return kernels, lines


def run_command(text):
    """The first command of `make -n run` that starts the program, as words; None: there is none."""
    for line in text.split("\n"):
        words = line.split("&&")[-1].strip()
        if words.startswith("./"):
            try:
                return shlex.split(words.split("|")[0].split(">")[0])
            except ValueError:
                return None
    return None


def smaller(words, most):
    """Returns the arguments with smaller numbers. The last number, in most programs the number of repetitions, becomes 3 at most.
    Each other number above MOST becomes a power of two below it, since many programs take only those; without MOST it stays."""
    numbers = [i for i, w in enumerate(words) if re.fullmatch(r"\d+", w)]
    out = list(words)
    for i in numbers:
        n = int(words[i])
        if i == numbers[-1] and (len(numbers) > 1 or n <= 1000):
            n = min(n, 3)
        if most and n > most:
            while n > most:
                n //= 2
            n = 1 << (n.bit_length() - 1)
        out[i] = str(n)
    return out


class Programs:
    def __init__(self, args, work):
        self.build, self.seconds, self.work = os.path.realpath(args.build), args.seconds, work
        self.given = {}
        if args.arguments:
            for line in read(args.arguments).split("\n"):
                words = line.split("#")[0].split()
                if words:
                    self.given[words[0]] = words[1:]
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("AUTOTUNE_")}
        self.env.update(AUTOTUNE_BUILD_CHECK="off", OMP_NUM_THREADS="2")

    def copy(self, folder, kind):
        """A copy of FOLDER beside links to what lies beside FOLDER and its parent, so that `../other/file.h` is found."""
        above, name = os.path.split(folder)
        top = os.path.join(self.work, kind)
        shutil.rmtree(top, ignore_errors=True)
        to = os.path.join(top, "up", os.path.basename(above))
        os.makedirs(to)
        for other in os.listdir(os.path.dirname(above)):
            if other != os.path.basename(above):
                os.symlink(os.path.join(os.path.dirname(above), other), os.path.join(top, "up", other))
        for other in os.listdir(above):
            if other != name:
                os.symlink(os.path.join(above, other), os.path.join(to, other))
        shutil.copytree(folder, os.path.join(to, name), symlinks=True)
        return os.path.join(to, name)

    def make(self, folder):
        """Returns "" or why it is not built, and the output."""
        cc = self.build + "/bin/autotune cc --emulate nvcc"
        status, said = limited(["make", "CC=" + cc, "NVCC=" + cc, "ARCH=sm_80", "OPTIMIZE=no", "EXTRA_CFLAGS=-O2 -w"],
                               10 * self.seconds, folder, self.env)
        errors = re.findall(r"error: (.*)", said) + re.findall(r"undefined reference to .*", said)
        return ("" if status == 0 else errors[0] if errors else said.strip()[-160:] or "status %d" % status), said

    def make_annotated(self, folder):
        """Returns the copy, the numbers of kernels and lines, and "" or why it is not built."""
        refused = set()
        while True:
            copy = self.copy(folder, "annotated")
            kernels, lines = annotate(copy, refused)
            why, said = self.make(copy)
            known = len(refused)
            if not why:
                return copy, kernels, lines, ""
            for file, line in re.findall(r"([\w.+-]+):(\d+):\d+: error: ", said):
                path = os.path.join(copy, file)
                if os.path.isfile(path):
                    below = [k.name for k in kernels_of(path) if 0 <= k.line - int(line) < 12]
                    above = [k.name for k in kernels_of(path) if k.line <= int(line)]
                    refused.update((file, name) for name in below[:1] + above[-1:])
            if len(refused) == known:
                return copy, kernels, lines, why

    def run(self, folder, words, seconds, **more):
        """Returns "pass", "fail", "late" or "none" (it said nothing of either), and why."""
        status, said = limited(words, seconds, folder, {**self.env, **more})
        bad = [line.strip() for line in said.split("\n") if re.search(BAD, line, flags=re.I)]
        good = re.search(GOOD, said, flags=re.I)
        if status == 124:
            return "late", "it takes more than %d seconds" % seconds, said
        if status or bad:
            return "fail", (bad or [said.strip()[-100:] or "no output"])[0][:160] + " (status %d)" % status, said
        return ("pass", "", said) if good else ("none", "no PASS: " + said.strip()[-80:], said)

    def untuned(self, folder, name):
        """Runs the program with smaller and smaller arguments. Returns the words, its fate, and why."""
        _, said = limited(["make", "-n", "run", "CC=true"], 20, folder, self.env)
        words = run_command(said)
        if not words:
            return None, "none", "no target run"
        if name in self.given:
            tries = [[words[0]] + self.given[name]]
        else:
            tries = [words[:1] + smaller(words[1:], most) for most in (512, 64, 8192, None)]
        best = None
        for i, words in enumerate(tries):
            if words in tries[:i]:
                continue
            fate, why, _ = self.run(folder, words, self.seconds)
            if fate == "pass":
                return words, fate, why
            if fate == "late" and i > 1:
                break
            if not best or (best[1] == "late" or best[1] == "none") and fate == "fail":
                best = words, fate, why
        return best

    def tunings(self, cache):
        status, said = limited([self.build + "/bin/autotune", "db", "stats"], 30, self.work,
                               {**self.env, "AUTOTUNE_CACHE": cache})
        found = re.search(r"^keys\s+(\d+)", said, flags=re.M)
        return int(found.group(1)) if status == 0 and found else 0

    def one(self, name, folder):
        plain_copy = self.copy(folder, "plain")
        kernels = sum(len(list(kernels_of(p))) for p in sources_of(plain_copy))
        why, _ = self.make(plain_copy)
        if why:
            return Row(name, kernels, 0, "no", "-", "-", 0, "", why)
        words, untuned, why = self.untuned(plain_copy, name)
        if untuned != "pass":
            return Row(name, kernels, 0, "yes", untuned, "-", 0, " ".join(words[1:]) if words else "", why)
        arguments = " ".join(words[1:])
        if kernels == 0:
            return Row(name, 0, 0, "yes", untuned, "-", 0, arguments, "no kernel")
        copy, kernels, lines, why = self.make_annotated(folder)
        if why:
            return Row(name, kernels, lines, "plain", untuned, "-", 0, arguments, why)
        cache = os.path.join(self.work, "cache")
        shutil.rmtree(cache, ignore_errors=True)
        tuned, why, _ = self.run(copy, words, 4 * self.seconds, AUTOTUNE_CACHE=cache, AUTOTUNE_BUDGET="20s,4")
        return Row(name, kernels, lines, "yes", untuned, tuned, self.tunings(cache), arguments, why)


def summary(rows):
    n = collections.Counter()
    for row in rows:
        n["built"] += row.built != "no"
        n["untuned"] += row.untuned == "pass"
        n["tuned"] += row.tuned == "pass" and int(row.tunings) > 0
        n["tunings"] += int(row.tunings)
    print("\n| programs | built | pass untuned | annotated, pass tuned | tunings |\n| --- | --- | --- | --- | --- |")
    print("| %d | %d | %d | %d | %d |" % (len(rows), n["built"], n["untuned"], n["tuned"], n["tunings"]))
    for title, chosen in (("not built", lambda r: r.built != "yes"),
                          ("do not pass untuned", lambda r: r.built != "no" and r.untuned not in ("pass", "-")),
                          ("pass untuned and do not pass tuned", lambda r: r.tuned not in ("pass", "-"))):
        print_reasons(title, [r.why for r in rows if chosen(r)])


def main():
    parser = argparse.ArgumentParser(prog="emulated.sh")
    parser.add_argument("folder")
    parser.add_argument("build")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--arguments")
    parser.add_argument("--list")
    parser.add_argument("--seconds", type=int, default=30)
    args = parser.parse_intermixed_args()
    rows = {}
    if args.list and os.path.exists(args.list):
        rows = {r.name: r for r in (Row(*line.split("\t")) for line in read(args.list).split("\n") if line.count("\t") == 8)}
    programs = find(os.path.realpath(args.folder), args.names)
    print("| program | kernels | with the line | built | untuned | tuned | tunings | arguments | why |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as work:
        one = Programs(args, work)
        for name, folder in sorted(programs.items()):
            if name not in rows:
                row = one.one(name, folder)
                rows[name] = row._replace(why=" ".join(row.why.split()))
                if args.list:
                    with open(args.list, "a", encoding="utf-8") as f:
                        print(*rows[name], sep="\t", file=f)
            print("| %s |" % " | ".join(str(v).replace("|", "\\|") for v in rows[name]), flush=True)
    summary([rows[name] for name in sorted(programs)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
