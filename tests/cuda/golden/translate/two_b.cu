#include "two.cuh"

void other(float *a)
{
  doubled<<<2, 32>>>(a, 64);
  doubled<double><<<1, 32>>>(nullptr, 0);
}
