# SPDX-License-Identifier: Apache-2.0
"""What is measured against what. A program answers commands as serve.h says; "torch" and "reference" are
the other sides. `kind`:

  rate   bytes that must move per second, against the device-to-device copy's
  speed  the other side's time over ours
  extra  nanoseconds of the host that ours takes more (at most)
"""
from collections import namedtuple

# TARGETS: the first has to be reached, a second one is the aim behind it; (): shown, nothing is wanted.
Row = namedtuple("Row", "name program command kind against other targets first_of")

# The parts of bench.sh that are measured, by program; all other programs are of the part "rest".
PARTS = {"triad": "triad", "launch": "launch", "hgemm": "hgemm", "flash_attention": "attention"}


def part_of(row):
    return PARTS.get(row.program, "rest")


GIB = 1 << 30
COPY = ("reference", f"copy {2 * GIB}")


def rate(name, program, command, targets, first_of):
    return Row(name, program, command, "rate", "copy", COPY, targets, first_of)


def speed(name, program, command, against, other, targets, first_of):
    return Row(name, program, command, "speed", against, other, targets, first_of)


def attention_rows():
    """The shortest first: what wins there is what the next length begins with."""
    for head in (64, 128):
        for causal in (0, 1):
            for length in (512, 1024, 2048, 4096, 8192, 16384):
                heads = 2048 // head
                batch = 16384 // length
                shape = f"{batch} {heads} {length} {head} {causal} 0"
                yield speed(f"attention {head} {'causal ' if causal else ''}{length}",
                            "flash_attention", f"attention {shape}", "PyTorch",
                            ("torch", f"attention {shape}"), (0.7, 1.0), length == 512 and not causal)


def full_rows():
    n, rows, columns = 1 << 28, 1 << 16, 4096
    norm, soft = f"rms_norm {rows} {columns}", f"softmax {rows} {columns}"
    yield Row("tuned launch", "launch", "launch", "extra", "cuLaunchKernel", None, (200,), True)
    yield rate("triad, one line", "triad", f"triad {n}", (0.9,), True)
    yield rate("triad", "triad", f"triad_wide {n}", (0.9,), True)
    yield rate("transpose", "transpose", "transpose 16384 16384", (0.9,), True)
    yield rate("stencil", "stencil2d", "stencil2d 16384", (0.9,), True)
    yield rate("RMS norm", "rms_norm", norm, (0.9,), True)
    yield rate("softmax", "softmax", soft, (0.9,), True)
    yield rate("reduction", "reduction", f"reduction {n}", (), True)
    yield rate("SpMV", "spmv", "spmv 4194304 32", (), True)
    yield speed("RMS norm", "rms_norm", norm, "PyTorch", ("torch", norm), (1.2,), False)
    yield speed("softmax", "softmax", soft, "PyTorch", ("torch", soft), (1.2,), False)
    yield speed("SGEMM 4096", "sgemm", "sgemm 4096", "cuBLAS", ("reference", "sgemm 4096"), (0.9,), True)
    yield speed("half GEMM 8192", "hgemm", "hgemm 8192", "cuBLAS", ("reference", "hgemm 8192"),
                (0.7, 0.9), True)
    yield speed("SGEMM 4096", "sgemm", "sgemm 4096", "PyTorch", ("torch", "matmul 4096 32"), (), False)
    yield speed("half GEMM 8192", "hgemm", "hgemm 8192", "PyTorch", ("torch", "matmul 8192 16"), (),
                False)
    yield from attention_rows()


def emulated_rows():
    """Small sizes and no targets, to see that all parts of the bench work where there is no device."""
    yield Row("tuned launch", "launch", "launch", "extra", "cuLaunchKernel", None, (), True)
    for name, command in (("triad", "triad 3000"), ("triad", "triad_wide 3000"),
                          ("transpose", "transpose 64 96"), ("stencil2d", "stencil2d 64"),
                          ("rms_norm", "rms_norm 32 128"), ("softmax", "softmax 32 128"),
                          ("reduction", "reduction 3000"), ("spmv", "spmv 64 8")):
        yield Row(command, name, command, "rate", "copy", ("reference", "copy 65536"), (), True)
    for name, command in (("sgemm", "sgemm 128"), ("hgemm", "hgemm 128"),
                          ("flash_attention", "attention 1 1 64 64 0 0")):
        yield Row(command, name, command, "speed", "copy", ("reference", "copy 65536"), (), True)
    yield Row("SGEMM", "sgemm", "sgemm 128", "speed", "cuBLAS", ("reference", "sgemm 128"), (), True)


def all_rows(emulated, part=None):
    """Those of PART alone, if it is given."""
    rows = emulated_rows() if emulated else full_rows()
    return [row for row in rows if part in (None, part_of(row))]
