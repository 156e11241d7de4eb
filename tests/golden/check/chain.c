#pragma autotune kernel
void sharpen(int n, const float (*restrict in)[n], float (*restrict tmp)[n], float (*restrict out)[n])
{
#pragma autotune chain sizes({8, 16, 32}, {64, 128, 256}) local(tmp) num_threads({1, 2, 4}) optional
  {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        tmp[i][j] = (in[i - 1][j] + in[i][j] + in[i + 1][j]) / 3;
    for (int i = 2; i < n - 2; i++)
      for (int j = 2; j < n - 2; j++)
        out[i][j] = 2 * tmp[i][j] - (tmp[i][j - 1] + tmp[i][j + 1]) / 2;
  }
}

#define AT(a, y, x) a[(y) * w + (x)]
#pragma autotune kernel in(in[0:w * h]) inout(out[0:w * h]) scratch(mean[0:h])
void levels(int w, int h, const float *restrict in, float *restrict mean, float *restrict out)
{
#pragma autotune chain sizes({8, 32}) local(mean)
  {
    for (int y = 0; y < h; y++) {
      mean[y] = 0;
      for (int x = 0; x < w; x++)
        mean[y] += AT(in, y, x) / w;
    }
    for (int y = 1; y < h - 1; y++)
      for (int x = 0; x < w; x++)
        AT(out, y, x) = AT(in, y, x) - (mean[y - 1] + mean[y] + mean[y + 1]) / 3;
  }
}
