// SPDX-License-Identifier: Apache-2.0
// serve_spmv.cu: appended to examples/cuda/10_spmv.cu.   spmv ROWS ELEMENTS: of each row, most near the
// diagonal

static __global__ void matrix_kernel(int rows, int elements, int *start, int *column)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > rows)
    return;
  start[i] = i * elements;
  for (int k = 0; i < rows && k < elements; k++) {
    unsigned h = ((unsigned)i * 2654435761u) ^ ((unsigned)k * 40503u);
    h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
    column[(size_t)i * elements + k] = (int)((k % 16 ? i + h % 1000 : h) % (unsigned)rows);
  }
}

static bool handle(bench::command &c)
{
  if (!c.is("spmv"))
    return false;
  int rows = (int)c.number(0), elements = (int)c.number(1), count = rows * elements;
  bench::device_array<int> start(rows + 1), column(count);
  bench::device_array<float> value(count), x(rows), y(rows);
  matrix_kernel<<<rows / 256 + 1, 256>>>(rows, elements, start.at, column.at);
  bench::check(cudaGetLastError(), "filling memory");
  bench::fill(value.at, count, 1);
  bench::fill(x.at, rows, 2);
  c.bytes = 8.0 * count + 12.0 * rows;
  c.flops = 2.0 * count;
  c.measure([&] { launch_spmv(rows, rows, count, start.at, column.at, value.at, x.at, y.at); });
  return true;
}

int main()
{
  return bench::serve(handle);
}
