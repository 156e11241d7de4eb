#define T 1
#pragma autotune kernel param(T: 1, 2) in(A[0:n][0:n], B[0:n][0:n], C[0:n][0:n], D[0:n])
int k(int n, double **A, double (*B)[n], double *C[n], double **D)
{
  return n + T;
}
