// SPDX-License-Identifier: Apache-2.0
// serve_hgemm.cu: appended to examples/cuda/06_hgemm.cu.   hgemm N

static bool handle(bench::command &c)
{
  if (!c.is("hgemm"))
    return false;
  int n = (int)c.number(0);
  size_t size = (size_t)n * n;
  bench::device_array<half> A(size), B(size), C(size);
  bench::fill(A.at, size, 1);
  bench::fill(B.at, size, 2);
  c.flops = 2.0 * n * n * n;
  c.measure([&] { bench::check(launch_hgemm(n, n, n, A.at, B.at, C.at), "hgemm"); });
  return true;
}

int main()
{
  return bench::serve(handle);
}
