// Flags that the compilers refuse.

// A misspelled flag
#pragma autotune kernel flags("-O2", "-funrol-loops")
void f27(int n, double *x) { x[0] = n; }
