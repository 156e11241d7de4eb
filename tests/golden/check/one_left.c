// Constraints that leave nothing but the code as written.
#define U 16
#pragma autotune kernel param(T: 8, 16, 32) constraint(T < 16) inout(x[0:n])
void one(int n, double *x) { for (int i = 0; i < n; i++) x[i] += T; }
#pragma autotune kernel param(U: 8, 16, 32) param(V: 1, 2) constraint(U * 2 == 32) constraint(V == 1) inout(x[0:n])
void two(int n, double *x) { for (int i = 0; i < n; i++) x[i] += U + V; }

// Another variant than that, other flags, a directive that may be left out; or the call decides.
#pragma autotune kernel param(W: 8, 16, 32) constraint(W == 16) inout(x[0:n])
void other(int n, double *x) { for (int i = 0; i < n; i++) x[i] += W; }
#pragma autotune kernel param(X: 8, 16, 32) constraint(X == 8) flags("-O2", "-O3") inout(x[0:n])
void flags(int n, double *x) { for (int i = 0; i < n; i++) x[i] += X; }
#pragma autotune kernel param(Y: 8, 16, 32) constraint(Y == 8) inout(x[0:n])
void directive(int n, double *x)
{
  #pragma autotune reverse optional
  for (int i = 0; i < n; i++)
    x[i] += Y;
}
#pragma autotune kernel param(Z: 8, 16, 32) constraint(Z == 8 || Z < n) inout(x[0:n])
void call(int n, double *x) { for (int i = 0; i < n; i++) x[i] += Z; }
#pragma autotune kernel param(P: 1, 2) constraint(P <= AUTOTUNE_THREADS) inout(x[0:n])
void machine(int n, double *x) { for (int i = 0; i < n; i++) x[i] += P; }
