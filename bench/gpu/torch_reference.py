#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own kernels, asked for samples as serve.h says.

  rms_norm ROWS COLUMNS · softmax ROWS COLUMNS            float32
  matmul N BITS                                           BITS 32 without TF32, or 16
  attention BATCH HEADS LENGTH HEAD CAUSAL BF16           float16, or bfloat16 with BF16 1; with "backend"
  about                                                   {"torch": …, "cuda": …, "cudnn": …}
"""
import json
import sys
import time

import torch
import torch.nn.functional as F

WARM_UP = 0.05  # seconds, as in serve.h


def device_array(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device="cuda").uniform_(-1, 1)


def rms_norm(rows, columns):
    x, weight = device_array(rows, columns), device_array(columns)
    return lambda: F.rms_norm(x, (columns,), weight, eps=1e-6)


def softmax(rows, columns):
    x = device_array(rows, columns)
    return lambda: F.softmax(x, dim=-1)


def matmul(n, bits):
    dtype = {16: torch.float16, 32: torch.float32}[bits]
    a, b = device_array(n, n, dtype=dtype), device_array(n, n, dtype=dtype)
    out = torch.empty_like(a)
    return lambda: torch.matmul(a, b, out=out)


def backend(q, k, v, causal):
    """The code that PyTorch chooses for attention of these arguments: FLASH_ATTENTION, CUDNN_ATTENTION, …"""
    try:
        from torch.nn.attention import SDPBackend
        return SDPBackend(torch._fused_sdp_choice(q, k, v, is_causal=causal)).name
    except Exception as e:  # no public function tells it
        return f"not known ({type(e).__name__})"


def attention(batch, heads, length, head, causal, bf16):
    dtype = torch.bfloat16 if bf16 else torch.float16
    q, k, v = (device_array(batch, heads, length, head, dtype=dtype) for _ in range(3))
    def launch():
        return F.scaled_dot_product_attention(q, k, v, is_causal=bool(causal))

    launch.facts = {"backend": backend(q, k, v, bool(causal))}
    return launch


OPERATIONS = {f.__name__: f for f in (rms_norm, softmax, matmul, attention)}


def about():
    return {"torch": torch.__version__, "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version()}


def measure(launch, samples):
    """As serve.h's measure(): the memset hides from the device what a launch costs the host."""
    l2 = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0)
    beyond = torch.empty(max(4 * l2, 256 << 20), dtype=torch.uint8, device="cuda")
    start = time.monotonic()
    launch()
    torch.cuda.synchronize()
    first, times = time.monotonic() - start, []
    while samples and time.monotonic() - start < first + WARM_UP:
        launch()
        torch.cuda.synchronize()
    for i in range(samples):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        beyond.fill_(i % 256)
        begin.record()
        launch()
        end.record()
        end.synchronize()
        times.append(1e-3 * begin.elapsed_time(end))
    return {"first": first, "flushed": True, "samples": times}


def answer(words):
    if words[0] == "about":
        return about()
    if words[0] not in OPERATIONS:
        return {"error": f"{words[0]} is not measured here"}
    *numbers, samples = map(int, words[1:])
    with torch.inference_mode():
        launch = OPERATIONS[words[0]](*numbers)
        return {**measure(launch, samples), **getattr(launch, "facts", {})}


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    for line in sys.stdin:
        try:
            reply = answer(line.split())
        except Exception as e:  # of memory or of an operation: the next command may still be answered
            reply = {"error": str(e).splitlines()[0]}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
