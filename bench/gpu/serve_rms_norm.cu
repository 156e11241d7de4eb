// SPDX-License-Identifier: Apache-2.0
// serve_rms_norm.cu: appended to examples/cuda/07_rms_norm.cu.   rms_norm ROWS COLUMNS

static bool handle(bench::command &c)
{
  if (!c.is("rms_norm"))
    return false;
  int rows = (int)c.number(0), columns = (int)c.number(1);
  size_t size = (size_t)rows * columns;
  bench::device_array<float> x(size), y(size), weight(columns);
  bench::fill(x.at, size, 1);
  bench::fill(weight.at, columns, 2);
  c.bytes = 8.0 * (double)size;
  c.measure([&] { launch_rms_norm(rows, columns, x.at, weight.at, y.at); });
  return true;
}

int main()
{
  return bench::serve(handle);
}
