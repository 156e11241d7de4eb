// Expressions that depend on the arguments of templates: errors show when these are known.
struct vector { int size; float *data; };

// Each clause
#pragma autotune kernel param(T: 1, 2) key(v.length) in(x[v.first : n]) out(y[0:v.count]) flops(v.work) \
  bytes(v.read) constraint(T > v.least) block(64 * T, v.rows) grid(v.columns) shared(v.memory)
template <typename V, typename X> __global__ void f1(V v, const X *x, X *y, int n) { y[0] = x[0] + n + T; }

void all(vector v, float *x) { f1<<<1, 64>>>(v, x, x, 1); }
