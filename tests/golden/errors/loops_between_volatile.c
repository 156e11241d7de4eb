// Each read of what is volatile counts, so declarations with such reads do not move.
struct device {
  volatile int status;
};
#pragma autotune kernel
void is_volatile(int n, volatile double *a, double *b)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = *a; // each read counts
    for (int j = 0; j < n; j++)
      b[i * n + j] += s;
  }
}
#pragma autotune kernel
void member(int n, struct device *d, int *b)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    int s = d->status;
    for (int j = 0; j < n; j++)
      b[i * n + j] += s;
  }
}
