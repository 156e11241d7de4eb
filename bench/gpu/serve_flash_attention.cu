// SPDX-License-Identifier: Apache-2.0
// serve_flash_attention.cu: appended to examples/cuda/09_flash_attention.cu.
// attention BATCH HEADS LENGTH HEAD CAUSAL BF16, with a HEAD of 64 or 128

template <class T, int HEAD, bool CAUSAL> static void attend(bench::command &c)
{
  int heads = (int)(c.number(0) * c.number(1)), n = (int)c.number(2);
  size_t size = (size_t)heads * n * HEAD;
  bench::device_array<T> q(size), k(size), v(size), out(size);
  bench::fill(q.at, size, 1);
  bench::fill(k.at, size, 2);
  bench::fill(v.at, size, 3);
  c.flops = 4.0 * heads * n * n * HEAD * (CAUSAL ? 0.5 : 1);
  c.measure([&] {
    bench::check(launch_attention<T, HEAD, CAUSAL>(heads, n, q.at, k.at, v.at, out.at), "attention");
  });
}

template <class T, int HEAD> static void attend(bench::command &c)
{
  c.number(4) ? attend<T, HEAD, true>(c) : attend<T, HEAD, false>(c);
}

template <class T> static bool attend(bench::command &c)
{
  if (c.number(3) == 64)
    attend<T, 64>(c);
  else if (c.number(3) == 128)
    attend<T, 128>(c);
  else
    return false;
  return true;
}

static bool handle(bench::command &c)
{
  if (!c.is("attention"))
    return false;
  return c.number(5) ? attend<__nv_bfloat16>(c) : attend<half>(c);
}

int main()
{
  return bench::serve(handle);
}
