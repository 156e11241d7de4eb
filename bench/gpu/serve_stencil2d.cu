// SPDX-License-Identifier: Apache-2.0
// serve_stencil2d.cu: appended to examples/cuda/04_stencil2d.cu.   stencil2d N

static bool handle(bench::command &c)
{
  if (!c.is("stencil2d"))
    return false;
  int n = (int)c.number(0);
  size_t size = (size_t)n * n;
  bench::device_array<float> in(size), out(size);
  bench::fill(in.at, size, 1);
  c.bytes = 8.0 * (double)size;
  c.flops = 6.0 * (double)size;
  c.measure([&] { launch_jacobi(n, in.at, out.at); });
  return true;
}

int main()
{
  return bench::serve(handle);
}
