/* #pragma autotune frob */
const char *s = "#pragma autotune frob", *t = "\
#pragma autotune frob";
// #pragma autotune frob \
#pragma autotune frob
int broken( = ; here, but no business of ours

/* in front */ # /* between */ pragma autotune kernel /* a
   comment over lines */ param(X: 1, /* 3, */ 2)
void f(int *a) { a[X] = '"'; }
