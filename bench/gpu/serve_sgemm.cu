// SPDX-License-Identifier: Apache-2.0
// serve_sgemm.cu: appended to examples/cuda/05_sgemm.cu.   sgemm N

static bool handle(bench::command &c)
{
  if (!c.is("sgemm"))
    return false;
  int n = (int)c.number(0);
  size_t size = (size_t)n * n;
  bench::device_array<float> A(size), B(size), C(size);
  bench::fill(A.at, size, 1);
  bench::fill(B.at, size, 2);
  c.flops = 2.0 * n * n * n;
  c.measure([&] { launch_sgemm(n, n, n, A.at, B.at, C.at); });
  return true;
}

int main()
{
  return bench::serve(handle);
}
