// Expressions in clauses.

// An assignment
#pragma autotune kernel param(T: 1, 2) constraint(T = 8)
void f1(int n, double *x) { x[0] = n + T; }

// An unfinished expression
#pragma autotune kernel param(T: 1, 2) constraint(T << )
void f2(int n, double *x) { x[0] = n + T; }

// A semicolon between keys
#pragma autotune kernel param(T: 1, 2) key(n; m)
void f3(int n, int m, double *x) { x[0] = n + m + T; }

// No comma between keys
#pragma autotune kernel param(T: 1, 2) key(n m)
void f4(int n, int m, double *x) { x[0] = n + m + T; }

// A misspelled name
#pragma autotune kernel param(TILE: 1, 2) constraint(TILR > 1)
void f5(int n, double *x) { x[0] = n + TILE; }

// A local variable
#pragma autotune kernel param(T: 1, 2) key(m)
void f6(int n, double *x) { int m = n / 2; x[0] = m + T; }

// A tuning parameter as a key
#pragma autotune kernel param(T: 1, 2) key(n, T)
void f7(int n, double *x) { x[0] = n + T; }

// A pointer as a key
#pragma autotune kernel param(T: 1, 2) key(x)
void f8(int n, double *x) { x[0] = n + T; }

// A floating-point number as a key
#pragma autotune kernel param(T: 1, 2) key(s)
void f9(int n, double s, double *x) { x[0] = n + s + T; }

// A floating-point expression as a key
#pragma autotune kernel param(T: 1, 2) key(n * 0.5)
void f10(int n, double *x) { x[0] = n + T; }

// A misspelled fact of the machine
#pragma autotune kernel param(T: 1, 2) constraint(T * 8 < AUTOTUNE_L1)
void f11(int n, double *x) { x[0] = n + T; }

// A fact of the machine in a key
#pragma autotune kernel param(T: 1, 2) key(n / AUTOTUNE_L2)
void f12(int n, double *x) { x[0] = n + T; }

// A constraint that no value meets
#pragma autotune kernel param(T: 1, 2) constraint(T > 4)
void f13(int n, double *x) { x[0] = n + T; }

// A constraint with a comma
#pragma autotune kernel param(T: 1, 2) constraint(T > 1, n > 2)
void f14(int n, double *x) { x[0] = n + T; }

// A key that changes a variable
#pragma autotune kernel param(T: 1, 2) key(n++)
void f15(int n, double *x) { x[0] = n + T; }

// Words for operators
#pragma autotune kernel param(T: 1, 2) constraint(T > 1 and n > 2)
void f16(int n, double *x) { x[0] = n + T; }

// An operator of another language
#pragma autotune kernel param(T: 1, 2) constraint(T ** 2 < 8)
void f17(int n, double *x) { x[0] = n + T; }

// An inequality of another language
#pragma autotune kernel param(T: 1, 2) constraint(T <> 2)
void f18(int n, double *x) { x[0] = n + T; }

// Two comparisons
#pragma autotune kernel param(T: 1, 2) constraint(0 < T < 2)
void f19(int n, double *x) { x[0] = n + T; }

// An arrow the wrong way
#pragma autotune kernel param(T: 1, 2) constraint(T =< 2)
void f20(int n, double *x) { x[0] = n + T; }

// Work with a comma in the number
#pragma autotune kernel param(T: 1, 2) flops(2, 5)
void f21(int n, double *x) { x[0] = n + T; }

// Work that names a tuning parameter
#pragma autotune kernel param(T: 1, 2) flops(2 * T)
void f22(int n, double *x) { x[0] = n + T; }

// Work without a multiplication sign
#pragma autotune kernel param(T: 1, 2) flops(2n)
void f23(int n, double *x) { x[0] = n + T; }

// Work twice
#pragma autotune kernel param(T: 1, 2) flops(n) flops(2 * n)
void f24(int n, double *x) { x[0] = n + T; }

// A condition of calls on a tuning parameter
#pragma autotune kernel param(T: 1, 2) if(T > 1)
void f25(int n, double *x) { x[0] = n + T; }

// An assignment as a condition
#pragma autotune kernel param(T: 1, 2) if(n = 8)
void f26(int n, double *x) { x[0] = n + T; }

// A function that is not declared
#pragma autotune kernel param(T: 1, 2) key(class_of(n))
void f27(int n, double *x) { x[0] = n + T; }

// A function that is declared too late
#pragma autotune kernel param(T: 1, 2) key(later(n))
void f28(int n, double *x) { x[0] = n + T; }
int later(int n);

// A string as a key
#pragma autotune kernel param(T: 1, 2) key("n")
void f29(int n, double *x) { x[0] = n + T; }

// A statement as a key
#pragma autotune kernel param(T: 1, 2) key(return n)
void f30(int n, double *x) { x[0] = n + T; }

// A type
#pragma autotune kernel param(T: 1, 2) key(int)
void f31(int n, double *x) { x[0] = n + T; }

// A declaration as a key
#pragma autotune kernel param(T: 1, 2) key(int n)
void f32(int n, double *x) { x[0] = n + T; }
