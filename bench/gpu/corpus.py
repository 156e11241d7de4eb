# SPDX-License-Identifier: Apache-2.0
"""See corpus.sh. A kernel is accepted if `autotune translate` makes a file of the copy that has the line on it. Its unit is
compiled once, for sm_90 and the first size of a block. A template needs an instance: those written at launches are tried, then
float for types and 32 for numbers. A unit that fails is judged if nvcc compiles the untouched file (where it does not, defines
or files are missing that only the program's own build has), and if it is of an instance that the program has."""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

PRAGMA = "#pragma autotune kernel block(64, 128, 256)\n"
CUDA = os.environ.get("CUDA_PATH", "/usr/local/cuda")
Kernel = collections.namedtuple("Kernel", "path name line start parameters")


def blanked(text):
    """The text with blanks in place of comments, strings and lines of the preprocessor."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r'//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n]){1,4}\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: blank(m)[:-1] + ";" if m.group() else "", text, flags=re.M)


def closing(text, at, opening, closed):
    """The offset after the bracket that closes the one at AT."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == opening) - (text[i] == closed)
        if depth == 0:
            return i + 1
    return len(text)


def template_parameters(head):
    """[("typename", "T"), ("int", "N")] of `template <typename T, int N = 4> …`."""
    found = re.match(r"\s*template\s*<", head)
    if not found:
        return []
    inside = head[found.end():closing(head, found.end() - 1, "<", ">") - 1]
    parts, depth = [""], 0
    for c in inside:
        depth += (c in "<(") - (c in ">)")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    parts = [p.split("=")[0].split() for p in parts]
    return [(" ".join(p[:-1]), p[-1]) if len(p) > 1 else (p[0] if p else "", "") for p in parts]


def kernels_of(path):
    with open(path, encoding="latin-1", newline="") as f:
        text = f.read()
    code = blanked(text)
    for found in re.finditer(r"\b__global__\b", code):
        start = max(code.rfind(c, 0, found.start()) for c in ";{}") + 1
        at = found.end()
        while True:  # the first parentheses that are no attribute's
            opening = re.compile(r"(~?\w+)\s*(?:<[^;{}()]*>)?\s*\(").search(code, at)
            if not opening or not re.fullmatch(r"__launch_bounds__|__\w+__|__attribute__|alignas|template", opening.group(1)):
                break
            at = closing(code, opening.end() - 1, "(", ")")
        if not opening:
            continue
        body = re.compile(r"[;{]").search(code, closing(code, opening.end() - 1, "(", ")"))
        if not body or body.group() == ";":
            continue  # a declaration
        start += len(code[start:]) - len(code[start:].lstrip())
        if code[start:found.start()].startswith("extern") and "{" in code[start:found.start()]:
            continue
        yield Kernel(path, opening.group(1), code.count("\n", 0, found.start()) + 1, start,
                     template_parameters(code[start:found.start()]))


def numbers_of(code, words):
    """The words with `const int N = 256;` and `#define N 256` of the file in place of N."""
    def number(match):
        name = re.escape(match.group())
        found = re.search(r"(?:const(?:expr)?[\w\s]*\s%s\s*=\s*|#\s*define\s+%s\s+)(\d+)\b" % (name, name), code)
        return found.group(1) if found else match.group()
    return re.sub(r"\b[A-Za-z_]\w*\b", number, words)


def wrapped(code, words, at):
    """Arguments of a launch at AT within a template function, `k<T, N>`, as calls of the function, `run<float, 4>(…)`, have them."""
    heads = [m for m in re.finditer(r"\btemplate\s*<", code) if m.start() < at]
    if not heads:
        return []
    head = heads[-1]
    names = [name for _, name in template_parameters(code[head.start():])]
    function = re.compile(r"(\w+)\s*\(").search(code, closing(code, head.end() - 1, "<", ">"))
    found = []
    for call in re.finditer(r"\b%s\s*<(?!<)" % re.escape(function.group(1)), code) if function else []:
        end = closing(code, call.end() - 1, "<", ">")
        values = [v.strip() for v in code[call.end():end - 1].split(",")]
        if re.match(r"\s*\(", code[end:]) and len(values) == len(names):
            table = dict(zip(names, values))
            found.append(re.sub(r"\b\w+\b", lambda m: table.get(m.group(), m.group()), words))
    return found


def instances(kernel):
    """Arguments for the kernel's template, as `-i` takes them, and whether each is one of the program's; [(None, True)]: it is
    no template."""
    if not kernel.parameters:
        return [(None, True)]
    with open(kernel.path, encoding="latin-1") as f:
        text = f.read()
    code, found = blanked(text), []
    own = set()  # parameters of templates: what they stand for is not known
    for at in re.finditer(r"\btemplate\s*<", code):
        own.update(name for _, name in template_parameters(code[at.start():]))
    for at in re.finditer(r"\b%s\s*<(?!<)" % re.escape(kernel.name), code):
        end = closing(code, at.end() - 1, "<", ">")
        if re.match(r"\s*<<<", code[end:]):
            words = " ".join(code[at.end():end - 1].split())
            found += [numbers_of(text, w) for w in [words] + wrapped(code, words, at.start())]
    guess = ["float" if kind in ("typename", "class") else "true" if kind == "bool" else "32"
             for kind, _ in kernel.parameters]
    given = []
    for words in dict.fromkeys(found):
        rest = guess[words.count(",") + 1:] if words else guess
        values = ",".join(w for w, (kind, _) in zip(words.split(","), kernel.parameters) if kind not in ("typename", "class"))
        known = bool(words) and words.count(",") + 1 >= len(kernel.parameters) and \
            not own.intersection(re.findall(r"\w+", words)) and \
            not [v for v in re.findall(r"\b(?!true\b|false\b)[A-Za-z_]\w*", values)
                 if not re.search(r"__device__[^;{}()]*\b%s\s*\(" % v, code)]
        given.append((", ".join([words] * bool(words) + rest), known))
    return given[:6] + [(", ".join(guess), False), (", ".join("int" if g == "float" else g for g in guess), False)]


def without_branches(makefile):
    """The text without comments and what a condition decides."""
    depth, lines = 0, []
    for line in makefile.split("\n"):
        word = (line.split() or [""])[0]
        depth += word in ("ifeq", "ifneq", "ifdef", "ifndef")
        if depth == 0 and not word.startswith("#"):
            lines.append(line)
        depth -= word == "endif"
    return "\n".join(lines)


def options_of(path, root, given):
    """-I and -D: those given, those of the Makefile beside the file, and usual folders."""
    folder = os.path.dirname(path)
    options = ["-I" + folder]
    for up in (folder, os.path.dirname(folder)):
        for name in ("Makefile", "makefile", "Makefile.nvcc"):
            try:
                with open(os.path.join(up, name), encoding="latin-1") as f:
                    words = re.findall(r"(?:^|[\s=\"])(-[ID])\s*([^\s\"'$]+)(?=[\s\"]|$)", without_branches(f.read()))
            except OSError:
                continue
            for option, word in words:
                options.append(option + (os.path.normpath(os.path.join(up, word)) if option == "-I" else word))
    while len(folder) > len(root):
        folder = os.path.dirname(folder)
        options += ["-I" + os.path.join(folder, name) for name in ("", "include", "common", "Common", "llmc")
                    if os.path.isdir(os.path.join(folder, name))]
    return list(dict.fromkeys(o.rstrip("/") for o in options + given))


def run(words, limit):
    try:
        done = subprocess.run(words, capture_output=True, timeout=limit, text=True, errors="replace", check=False)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 124, "error: it takes more than %d seconds" % limit


def plain(message):
    """The message without names, so that equal reasons are counted as one."""
    message = re.sub(r"'[^']*'|\"[^\"]*\"", "…", message)
    return re.sub(r"\s+", " ", message).strip()[:110]


class Corpus:
    def __init__(self, build, given):
        self.build, self.given, self.compiles = build, given, {}

    def nvcc(self, path, options):
        """True if nvcc compiles the untouched file."""
        if path not in self.compiles:
            status, _ = run([CUDA + "/bin/nvcc", "-std=c++17", "-w", "-arch=sm_90", "-ptx", "-rdc=true", "-x", "cu",
                             "--extended-lambda", "--expt-relaxed-constexpr", *options, path, "-o", "/dev/null"], 120)
            self.compiles[path] = status == 0
        return self.compiles[path]

    def try_kernel(self, kernel, root):
        """Returns the kernel's fate, "refused", "good", "bad" or "unjudged", and why."""
        options = options_of(kernel.path, root, self.given)
        with tempfile.TemporaryDirectory() as work:
            copy = os.path.join(work, os.path.splitext(os.path.basename(kernel.path))[0] + ".cu")
            with open(kernel.path, encoding="latin-1", newline="") as f:
                text = f.read()
            before = text[:kernel.start]
            line = ("" if not before or before.rsplit("\n", 1)[-1].strip() == "" else "\n") + PRAGMA
            with open(copy, "w", encoding="latin-1", newline="") as f:
                f.write(before + line + text[kernel.start:])
            status, said = run([self.build + "/bin/autotune", "translate", copy, "-o", os.path.join(work, "out.cu"), "--",
                                *options], 60)
            if status:
                errors = re.findall(r"error: (.*)", said)
                return "refused", errors[0] if errors else said.strip()[-200:] or "status %d" % status
            reason, known = "", False
            for instance, of_program in instances(kernel):
                status, said = run([self.build + "/tests/nvrtc_compile", "-q", *(["-i", instance] if instance else []),
                                    *options, copy], 120)
                if re.search(r"^good: ", said, flags=re.M):
                    return "good", ""
                known = known or of_program
                errors = re.findall(r"error: (.*)", said)
                reason = reason or (errors[0] if errors else said.strip()[-200:] or "status %d" % status)
        return "bad" if known and self.nvcc(kernel.path, options) else "unjudged", reason


def find(root):
    """All kernels below ROOT, without those of folders for HIP."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and not f.lower().endswith("hip"))
        for name in sorted(names):
            if name.endswith((".cu", ".cuh")):
                yield from kernels_of(os.path.join(folder, name))


def print_reasons(title, whys):
    """Prints how often there was each reason; nothing if there are none."""
    reasons = collections.Counter(plain(why) for why in whys)
    if reasons:
        print("\n%s:" % title)
    for reason, n in reasons.most_common(25):
        print("%6d  %s" % (n, reason))


def main():
    parser = argparse.ArgumentParser(prog="corpus.sh")
    parser.add_argument("build")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--sample", type=int, help="of each folder, chosen by a fixed seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", help="a file for the fate of each kernel")
    parser.add_argument("-I", action="append", default=[], dest="headers")
    parser.add_argument("-D", action="append", default=[], dest="defines")
    args = parser.parse_args()
    corpus = Corpus(os.path.realpath(args.build),
                    ["-I" + os.path.realpath(f) for f in args.headers] + ["-D" + d for d in args.defines])
    everything = []
    print("| folder | kernels | accepted | refused | units judged | compile | fail | not judged |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    listed = open(args.list, "w", encoding="utf-8") if args.list else None
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for folder in args.folders:
            root = os.path.realpath(folder)
            kernels = list(find(root))
            if args.sample and args.sample < len(kernels):
                kernels = sorted(random.Random(1).sample(kernels, args.sample))
            fates = []
            for kernel, (fate, why) in zip(kernels, pool.map(lambda k, root=root: corpus.try_kernel(k, root), kernels)):
                fates.append((fate, why))
                if listed:
                    print(fate, "%s:%d" % (kernel.path, kernel.line), kernel.name, why.replace("\n", " "), sep="\t",
                          file=listed, flush=True)
            n = collections.Counter(fate for fate, _ in fates)
            judged = n["good"] + n["bad"]
            print("| %s | %d | %d | %d | %d | %d (%.1f %%) | %d | %d |" % (
                os.path.basename(root), len(kernels), len(kernels) - n["refused"], n["refused"], judged, n["good"],
                100 * n["good"] / max(judged, 1), n["bad"], n["unjudged"]), flush=True)
            everything += fates
    for title, which in (("refused", "refused"), ("failing units", "bad"),
                         ("failing units that were not judged", "unjudged")):
        print_reasons(title, [why for fate, why in everything if fate == which])
    return 0


if __name__ == "__main__":
    sys.exit(main())
