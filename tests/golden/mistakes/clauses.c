// Clauses of kernels.

// `input` for `in`
#pragma autotune kernel input(x[0:n]) param(T: 1, 2)
void f1(int n, double *x) { x[0] = n + T; }

// `output` for `out`
#pragma autotune kernel output(x[0:n]) param(T: 1, 2)
void f2(int n, double *x) { x[0] = n + T; }

// A misspelled clause
#pragma autotune kernel parm(T: 1, 2)
void f3(int n, double *x) { x[0] = n; }

// A tolerance as a clause
#pragma autotune kernel rtol=1e-5 param(T: 1, 2)
void f4(int n, double *x) { x[0] = n; }

// A tolerance with an equals sign
#pragma autotune kernel param(T: 1, 2) verify(rtol=1e-5)
void f5(int n, double *x) { x[0] = n + T; }

// A tolerance by itself
#pragma autotune kernel param(T: 1, 2) verify(1e-5)
void f6(int n, double *x) { x[0] = n + T; }

// A negative tolerance
#pragma autotune kernel param(T: 1, 2) verify(rtol: -1)
void f7(int n, double *x) { x[0] = n + T; }

// A tolerance in percent
#pragma autotune kernel param(T: 1, 2) verify(rtol: 1%)
void f8(int n, double *x) { x[0] = n + T; }

// Exact, and with a tolerance
#pragma autotune kernel param(T: 1, 2) verify(exact, rtol: 1e-5)
void f9(int n, double *x) { x[0] = n + T; }

// A word that verify does not know
#pragma autotune kernel param(T: 1, 2) verify(none)
void f10(int n, double *x) { x[0] = n + T; }

// A label of verify that does not exist
#pragma autotune kernel param(T: 1, 2) verify(tol: 1e-5)
void f11(int n, double *x) { x[0] = n + T; }

// A number of variants without its label
#pragma autotune kernel param(T: 1, 2) search(random, 200)
void f12(int n, double *x) { x[0] = n + T; }

// A time without its label
#pragma autotune kernel param(T: 1, 2) search(random, 5s)
void f13(int n, double *x) { x[0] = n + T; }

// A search that does not exist
#pragma autotune kernel param(T: 1, 2) search(bayesian)
void f14(int n, double *x) { x[0] = n + T; }

// A misspelled search
#pragma autotune kernel param(T: 1, 2) search(randm)
void f15(int n, double *x) { x[0] = n + T; }

// A budget with a unit that does not exist
#pragma autotune kernel param(T: 1, 2) search(random, budget: 5 sec)
void f16(int n, double *x) { x[0] = n + T; }

// A budget of nothing
#pragma autotune kernel param(T: 1, 2) search(random, budget: 0)
void f17(int n, double *x) { x[0] = n + T; }

// Two searches
#pragma autotune kernel param(T: 1, 2) search(random, genetic)
void f18(int n, double *x) { x[0] = n + T; }

// A label of search that does not exist
#pragma autotune kernel param(T: 1, 2) search(random, seed: 4)
void f19(int n, double *x) { x[0] = n + T; }

// Until everything
#pragma autotune kernel param(T: 1, 2) search(random, until: 200%)
void f20(int n, double *x) { x[0] = n + T; }

// A misspelled mode
#pragma autotune kernel param(T: 1, 2) mode(lazy)
void f21(int n, double *x) { x[0] = n + T; }

// Two modes
#pragma autotune kernel param(T: 1, 2) mode(first, offline)
void f22(int n, double *x) { x[0] = n + T; }

// A clause twice
#pragma autotune kernel param(T: 1, 2) mode(first) mode(off)
void f23(int n, double *x) { x[0] = n + T; }

// Flags without quotes
#pragma autotune kernel flags(-O2, -O3)
void f24(int n, double *x) { x[0] = n; }

// A flag without a dash
#pragma autotune kernel flags("O2", "O3")
void f25(int n, double *x) { x[0] = n; }

// A flag that names an output
#pragma autotune kernel flags("-O2", "-O3 -o x")
void f26(int n, double *x) { x[0] = n; }

// A compiler with flags
#pragma autotune kernel compiler(clang, "gcc -O3")
void f29(int n, double *x) { x[0] = n; }

// A compiler's path
#pragma autotune kernel compiler(clang, /usr/bin/gcc)
void f30(int n, double *x) { x[0] = n; }

// A family in quotes
#pragma autotune kernel param(T: 1, 2) family("gemm")
void f31(int n, double *x) { x[0] = n + T; }

// `optional` with arguments
#pragma autotune kernel param(T: 1, 2) optional(yes)
void f33(int n, double *x) { x[0] = n + T; }

// A clause of CUDA
#pragma autotune kernel param(T: 1, 2) block(16, 16)
void f34(int n, double *x) { x[0] = n + T; }

// A clause of loops
#pragma autotune kernel param(T: 1, 2) sizes(8, 16)
void f35(int n, double *x) { x[0] = n + T; }

// A clause with an equals sign
#pragma autotune kernel param(T: 1, 2) mode=first
void f36(int n, double *x) { x[0] = n + T; }

// A clause with a colon
#pragma autotune kernel param(T: 1, 2) mode: first
void f37(int n, double *x) { x[0] = n + T; }

// Semicolons between clauses
#pragma autotune kernel param(T: 1, 2); mode(first)
void f38(int n, double *x) { x[0] = n + T; }

// Two commas between clauses
#pragma autotune kernel param(T: 1, 2),, mode(first)
void f39(int n, double *x) { x[0] = n + T; }

// A bracket that is not closed
#pragma autotune kernel param(T: 1, 2 mode(first)
void f40(int n, double *x) { x[0] = n; }

// A bracket too many
#pragma autotune kernel param(T: 1, 2))
void f41(int n, double *x) { x[0] = n; }

// A string that is not closed
#pragma autotune kernel flags("-O2, "-O3")
void f42(int n, double *x) { x[0] = n; }

// Nothing in the brackets
#pragma autotune kernel param(T: 1, 2) mode()
void f43(int n, double *x) { x[0] = n + T; }

// An option of the command line
#pragma autotune kernel --budget=5s param(T: 1, 2)
void f44(int n, double *x) { x[0] = n; }

// A clause of OpenMP
#pragma autotune kernel param(T: 1, 2) num_threads({1, 2})
void f45(int n, double *x) { x[0] = n + T; }

// A capital letter
#pragma autotune kernel Param(T: 1, 2)
void f46(int n, double *x) { x[0] = n; }
