// SPDX-License-Identifier: Apache-2.0
// serve_transpose.cu: appended to examples/cuda/02_transpose.cu.   transpose ROWS COLUMNS

static bool handle(bench::command &c)
{
  if (!c.is("transpose"))
    return false;
  int rows = (int)c.number(0), columns = (int)c.number(1);
  size_t size = (size_t)rows * columns;
  bench::device_array<float> in(size), out(size);
  bench::fill(in.at, size, 1);
  c.bytes = 8.0 * (double)size;
  c.measure([&] { launch_transpose(rows, columns, in.at, out.at); });
  return true;
}

int main()
{
  return bench::serve(handle);
}
