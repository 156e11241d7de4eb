// SPDX-License-Identifier: Apache-2.0
// Loops that are divided: each function once, with the sum of what it made. Those from `atax` on stay whole.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 60, M = 52 };

static void gemm(double C[restrict N][N], double A[N][M], double B[M][N])
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      C[i][j] *= 0.5;
    for (int k = 0; k < M; k++)
      for (int j = 0; j < N; j++)
        C[i][j] += 1.5 * A[i][k] * B[k][j];
  }
}

static void covariance(int m, int n, double data[restrict n][m], double cov[restrict m][m], double mean[restrict m])
{
  int i, j, k;
  for (j = 0; j < m; j++) {
    mean[j] = 0;
    for (i = 0; i < n; i++)
      mean[j] += data[i][j];
    mean[j] /= n;
  }
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++)
      data[i][j] -= mean[j];
  for (i = 0; i < m; i++)
    for (j = i; j < m; j++) {
      cov[i][j] = 0;
      for (k = 0; k < n; k++)
        cov[i][j] += data[k][i] * data[k][j];
      cov[i][j] /= n - 1;
      cov[j][i] = cov[i][j];
    }
}

// A loop in a divided one is divided, too.
static void correlation(int m, int n, double data[restrict n][m], double corr[restrict m][m])
{
  int i, j, k;
  for (i = 0; i < m - 1; i++) {
    corr[i][i] = 1;
    for (j = i + 1; j < m; j++) {
      corr[i][j] = 0;
      for (k = 0; k < n; k++)
        corr[i][j] += data[k][i] * data[k][j];
      corr[j][i] = corr[i][j];
    }
  }
  corr[m - 1][m - 1] = 1;
}

// The outer loop cannot be divided.
static void gramschmidt(int m, int n, double A[restrict m][n], double R[restrict n][n], double Q[restrict m][n])
{
  int i, j, k;
  double norm;
  for (k = 0; k < n; k++) {
    norm = 0;
    for (i = 0; i < m; i++)
      norm += A[i][k] * A[i][k];
    R[k][k] = sqrt(norm);
    for (i = 0; i < m; i++)
      Q[i][k] = A[i][k] / R[k][k];
    for (j = k + 1; j < n; j++) {
      R[k][j] = 0;
      for (i = 0; i < m; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (i = 0; i < m; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

static void trmm(int m, int n, double A[m][m], double B[restrict m][n])
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      for (int k = i + 1; k < m; k++)
        B[i][j] += A[k][i] * B[k][j];
      B[i][j] = 1.5 * B[i][j];
    }
}

// Threads may share only what does not depend on the iteration before.
static void decay(int m, int n, double A[m][n], double B[restrict m][n], double x[restrict m])
{
  for (int i = 1; i < m; i++) {
    x[i] += 0.5 * x[i - 1];
    for (int j = 0; j < n; j++)
      B[i][j] = x[i] * A[i][j];
  }
}

// Two parts would read the matrix twice.
static void atax(int m, int n, double A[m][n], double x[n], double y[restrict n], double t[restrict m])
{
  for (int i = 0; i < n; i++)
    y[i] = 0;
  for (int i = 0; i < m; i++) {
    t[i] = 0;
    for (int j = 0; j < n; j++)
      t[i] += A[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] += A[i][j] * t[i];
  }
}

// A variable belongs to several parts.
static void symm(int m, int n, double A[m][m], double B[m][n], double C[restrict m][n])
{
  double t;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      t = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += B[i][j] * A[i][k];
        t += B[k][j] * A[i][k];
      }
      C[i][j] = 0.5 * C[i][j] + B[i][j] * A[i][i] + t;
    }
}

static void lu(int n, double A[restrict n][n])
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}

static double *fill(int n, int m)
{
  double *a = malloc(sizeof(double) * n * m);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] = (i * 7 + j * 3) % 11 / 5.0 + (i == j) * 100;
  return a;
}

static void say(const char *name, int n, const double *a)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * (1 + i % 5);
  printf("%s %.17g\n", name, sum);
}

#define ROWS(a, m) ((double(*)[m])(a))

int main(void)
{
  double *a = fill(N, N), *b = fill(N, N), *c = fill(N, N), *x = fill(N, 1), *y = fill(N, 1);
  gemm(ROWS(c, N), ROWS(a, M), ROWS(b, N));
  say("gemm", N * N, c);
  covariance(M, N, ROWS(a, M), ROWS(c, M), x);
  say("covariance", M * M, c);
  correlation(M, N, ROWS(a, M), ROWS(c, M));
  say("correlation", M * M, c);
  double *q = fill(N, M);
  a = fill(N, M);
  gramschmidt(N, M, ROWS(a, M), ROWS(c, M), ROWS(q, M));
  say("gramschmidt", N * M, q);
  trmm(N, M, ROWS(b, N), ROWS(q, M));
  say("trmm", N * M, q);
  decay(N, M, ROWS(q, M), ROWS(a, M), x);
  say("decay", N * M, a);
  atax(M, N, ROWS(b, N), x, y, c);
  say("atax", N, y);
  symm(N, M, ROWS(b, N), ROWS(a, M), ROWS(q, M));
  say("symm", N * M, q);
  lu(N, ROWS(b, N));
  say("lu", N * N, b);
  return 0;
}
