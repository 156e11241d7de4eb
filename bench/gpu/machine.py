# SPDX-License-Identifier: Apache-2.0
"""What the figures were measured on: asked of the driver, of NVRTC and of nvcc, never assumed."""
import ctypes
import glob
import os
import platform
import re
import subprocess
import sys


def output_of(*argv):
    try:
        return subprocess.run(argv, capture_output=True, timeout=30, check=True, text=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def device():
    """Name, driver, compute capability, memory of the first device, as nvidia-smi says."""
    out = output_of("nvidia-smi", "--query-gpu=name,driver_version,compute_cap,memory.total",
                    "--format=csv,noheader")
    if not out or not out.strip():
        return {}
    return dict(zip(("device", "driver", "compute_capability", "memory"),
                    map(str.strip, out.splitlines()[0].split(","))))


def nvrtc_version():
    toolkit = os.environ.get("CUDA_PATH", "/usr/local/cuda")
    names = [os.environ.get("AUTOTUNE_NVRTC"), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
             os.path.join(toolkit, "lib64", "libnvrtc.so")]
    for name in filter(None, names):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        major, minor = ctypes.c_int(), ctypes.c_int()
        if library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == 0:
            return f"{major.value}.{minor.value}"
    return None


def nvcc_version():
    """That of the compiler that built a pack, else that of this machine's."""
    if os.environ.get("BENCH_NVCC"):
        return os.environ["BENCH_NVCC"]
    found = re.search(r"V([0-9.]+)", output_of(os.environ.get("NVCC", "nvcc"), "--version") or "")
    return found.group(1) if found else None


def about(emulated):
    found = {"device": "emulated GPU (CPU)"} if emulated else device()
    return {"device": found.get("device"), "driver": found.get("driver"),
            "compute_capability": found.get("compute_capability"), "memory": found.get("memory"),
            "nvrtc": nvrtc_version(), "nvcc": nvcc_version(), "processors": os.cpu_count(),
            "system": platform.machine()}


def package_libraries(pattern):
    """Libraries that came with Python's packages: nvidia/…/lib/libcublas.so.13."""
    for folder in sys.path:
        yield from sorted(glob.glob(os.path.join(folder, "nvidia", "*", "lib", pattern)), reverse=True)


def library(pattern):
    """Where a CUDA library lies: the toolkit's first, then Python's; None: left to the loader."""
    toolkit = os.environ.get("CUDA_PATH", "/usr/local/cuda")
    found = sorted(glob.glob(os.path.join(toolkit, "lib64", pattern)), reverse=True)
    return next(iter(found + list(package_libraries(pattern))), None)


if __name__ == "__main__":  # for bench.sh: machine.py PATTERN, machine.py about [--emulated]
    if sys.argv[1] == "about":
        for key, value in about("--emulated" in sys.argv).items():
            print(f"{key:<20} {value if value is not None else 'not known'}")
    else:
        print(library(sys.argv[1]) or "")
