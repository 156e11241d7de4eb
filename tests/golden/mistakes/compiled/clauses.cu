// Expressions that only a compiler can judge: its errors are about the pragma.
struct vector { int size; float *data; };

// A member that does not exist
#pragma autotune kernel block(64, 128) grid(ceil) out(v.data[0:v.length])
__global__ void f1(struct vector v) { v.data[threadIdx.x] = 1; }

// A member of a number
#pragma autotune kernel block(64, 128) grid(ceil) key(n / 2 + n.y) inout(x[0:n])
__global__ void f2(int n, float *x) { x[threadIdx.x] = n; }

// An arrow after a pointer to numbers, and a struct as a first element
#pragma autotune kernel block(64, 128) in((x->z)[0:n]) out(y[v:n])
__global__ void f3(int n, const float *x, float *y, vector v) { y[threadIdx.x] = x[0] + n + v.size; }

// Sizes of a launch
#pragma autotune kernel param(T: 1, 2) inout(x[0:n]) block(64 * T, v.rows) \
  grid(gridDim.x / v.columns) shared(v.bytes)
__global__ void f4(int n, float *x, vector v) { x[threadIdx.x] = n + T; }

// A constraint, and a struct as a number
#pragma autotune kernel param(T: 1, 2) inout(x[0:n]) constraint(T < v.least) bytes(v)
__global__ void f5(int n, float *x, vector v) { x[threadIdx.x] = n + T; }

// A pointer in a product
#pragma autotune kernel param(T: 1, 2) inout(x[0:n]) flops(n * x)
__global__ void f6(int n, float *x) { x[threadIdx.x] = n + T; }
