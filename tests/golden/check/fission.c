// `fission`: the directives on a part are for all loops from it on, and absent where it is.
#pragma autotune kernel in(a[0:n][0:n], b[0:n][0:n]) inout(c[0:n][0:n])
void product(int n, double beta, const double (*restrict a)[n], const double (*restrict b)[n], double (*restrict c)[n])
{
  #pragma autotune fission optional
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      #pragma autotune unroll partial({2, 4}) optional
      c[i][j] *= beta;
      #pragma autotune parallel for schedule({static, dynamic})
      #pragma autotune tile sizes({16, 32}, 64, 64) optional
      #pragma autotune interchange permutation({(1,2,3), (1,3,2)})
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}

// Together with all other directives; a triangle.
#pragma autotune kernel optional inout(c[0:n][0:n]) in(a[0:n][0:n])
void triangle(int n, const double (*restrict a)[n], double (*restrict c)[n])
{
  #pragma autotune fission
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      c[i][j] = 0;
      #pragma autotune tile sizes({16, 32}, 16, 16)
      #pragma autotune interchange permutation(any)
      for (int k = 0; k < n; k++)
        c[i][j] += a[k][i] * a[k][j];
      c[j][i] = c[i][j];
    }
}

// Parts that depend on each other in another way when one runs after the other.
#pragma autotune kernel inout(x[0:n], y[0:n], g[0:n][0:n])
void wrong(int n, double *restrict x, double *restrict y, double (*restrict g)[n])
{
  #pragma autotune fission
  for (int i = 1; i < n; i++) {
    x[i] = 2 * y[i - 1];
    for (int j = 0; j < n; j++)
      y[i] += g[i][j] + x[i];
  }
  #pragma autotune fission
  for (int i = 0; i < n - 1; i++) {
    for (int j = 0; j < n; j++)
      g[i][j] += g[i + 1][j];
    for (int j = 0; j < n; j++)
      g[i + 1][j] *= 2;
  }
  #pragma autotune fission
  for (int i = 1; i < n; i++) {
    x[i] = y[i];
    #pragma autotune parallel for
    #pragma autotune interchange
    for (int j = 0; j < n - 1; j++)
      g[i][j] += g[i - 1][j + 1];
  }
}

// What a part reads is the same in both orders.
#pragma autotune kernel inout(x[0:n], y[0:n], g[0:n][0:n])
void right(int n, double *restrict x, double *restrict y, double (*restrict g)[n])
{
  #pragma autotune fission
  for (int i = 1; i < n; i++) {
    x[i] = 2 * y[i];
    for (int j = 0; j < n; j++)
      g[i][j] += x[i] + x[i - 1];
    y[i] = g[i][0];
  }
}

// A variable that one part sets for another: only where each iteration computes the same value, all read the right one.
#pragma autotune kernel in(x[0:n]) inout(g[0:n][0:n], y[0:n])
void variables(int n, double scale, const double *restrict x, double (*restrict g)[n], double *restrict y)
{
  double t, s = 0, twice;
  int j;
  #pragma autotune fission optional
  for (int i = 0; i < n; i++) {
    t = x[i];
    twice = scale + scale;
    for (j = 0; j < n; j++)
      g[i][j] += t * twice;
    y[i] += j;
    #pragma autotune parallel for
    for (j = 0; j < n; j++) {
      t = g[i][j];
      g[i][j] = t * t;
    }
    y[i] += s;
    for (j = 0; j < n; j++)
      s += g[i][j];
  }
}
