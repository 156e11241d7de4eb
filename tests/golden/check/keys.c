typedef int index_t;
typedef struct { int n; double *data; } vec;
extern double table[64];
int counter;

#pragma autotune kernel key(n / 16, v->n) in(v->data[0:v->n], table[0:64], *scale) \
    out(rows[i][0:n], last[n - 1]) inout(counter) verify(rtol: 1e-5) flops(2.0 * n) bytes(8 * n) \
    search(random, budget: 500ms, 200)
void given(int n, int i, vec *v, double **rows, double *last, const double *scale)
{
  rows[i][0] = table[0] + v->data[0] * *scale + last[0] + counter++;
}

#pragma autotune kernel out(x[0:n])
void by_default(index_t n, unsigned m, double d, float f, char c, _Bool b, vec v, double *x)
{
  x[m] = d + f + c + b + v.n + n;
}
