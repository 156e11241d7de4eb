// SPDX-License-Identifier: Apache-2.0
// serve_triad.cu: appended to examples/cuda/01_triad.cu.   triad N · triad_wide N

static bool handle(bench::command &c)
{
  bool wide = c.is("triad_wide");
  if (!wide && !c.is("triad"))
    return false;
  int n = (int)c.number(0);
  bench::device_array<float> a(n), b(n), d(n);
  bench::fill(b.at, n, 1);
  bench::fill(d.at, n, 2);
  c.bytes = 12.0 * n;
  c.measure([&] { (wide ? launch_triad_wide : launch_triad)(n, 3, b.at, d.at, a.at); });
  return true;
}

int main()
{
  return bench::serve(handle);
}
