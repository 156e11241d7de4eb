#pragma autotune kernel param(T: 1, 2) in(A[0:n][0:n], B[0][0:n], D[0:n]) out(C[0:n][0:n])
__global__ void k(int n, double **A, double **B, double *C[64], double **D)
{
  C[threadIdx.x][T] = A[threadIdx.x][T] + n;
}
