// SPDX-License-Identifier: Apache-2.0
// serve_softmax.cu: appended to examples/cuda/08_softmax.cu.   softmax ROWS COLUMNS

static bool handle(bench::command &c)
{
  if (!c.is("softmax"))
    return false;
  int rows = (int)c.number(0), columns = (int)c.number(1);
  size_t size = (size_t)rows * columns;
  bench::device_array<float> x(size), y(size);
  bench::fill(x.at, size, 1);
  c.bytes = 8.0 * (double)size;
  c.measure([&] { launch_softmax(rows, columns, x.at, y.at); });
  return true;
}

int main()
{
  return bench::serve(handle);
}
