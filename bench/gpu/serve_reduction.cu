// SPDX-License-Identifier: Apache-2.0
// serve_reduction.cu: appended to examples/cuda/03_reduction.cu.   reduction N

static bool handle(bench::command &c)
{
  if (!c.is("reduction"))
    return false;
  int n = (int)c.number(0), sms = 0;
  bench::device_array<float> x(n), total(1);
  bench::fill(x.at, n, 1);
  bench::check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0),
               "cudaDeviceGetAttribute");
  c.bytes = 4.0 * n;
  c.measure([&] { launch_sum(sms, n, x.at, total.at); });
  return true;
}

int main()
{
  return bench::serve(handle);
}
