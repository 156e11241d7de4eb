#define T 1
#pragma autotune kernel param(T: 1, 2) out(return[0:n])
int number(int n) { return n + T; }
#pragma autotune kernel param(T: 1, 2) out(return[0:n])
void nothing(int n) { n += T; }
#pragma autotune kernel param(T: 1, 2) inout(return[0:n])
double *input(int n) { return (double *)0 + n * T; }
#pragma autotune kernel param(T: 1, 2) out(return[0:n][0:n])
double **rows(int n) { return (double **)0 + n * T; }
#pragma autotune kernel param(T: 1, 2) out(return)
double *all(int n) { return (double *)0 + n * T; }
