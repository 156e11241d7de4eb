// Values of parameters.

// No commas
#pragma autotune kernel param(T: 1 2)
void f1(int n, double *x) { x[0] = n + T; }

// A semicolon
#pragma autotune kernel param(T: 1; 2)
void f2(int n, double *x) { x[0] = n + T; }

// A set in place of values
#pragma autotune kernel param(T: [1, 2])
void f3(int n, double *x) { x[0] = n + T; }

// An equals sign for the colon
#pragma autotune kernel param(T = 1, 2)
void f4(int n, double *x) { x[0] = n + T; }

// A comma for the colon
#pragma autotune kernel param(T, 1, 2)
void f5(int n, double *x) { x[0] = n + T; }

// No name
#pragma autotune kernel param(1, 2)
void f6(int n, double *x) { x[0] = n; }

// Three dots
#pragma autotune kernel param(T: 1...4)
void f7(int n, double *x) { x[0] = n + T; }

// A dash as a range
#pragma autotune kernel param(T: 1-4)
void f8(int n, double *x) { x[0] = n + T; }

// A colon as a range
#pragma autotune kernel param(T: 1:4)
void f9(int n, double *x) { x[0] = n + T; }

// A range from high to low
#pragma autotune kernel param(T: 8..2)
void f10(int n, double *x) { x[0] = n + T; }

// A step of zero
#pragma autotune kernel param(T: 1..9 step 0)
void f11(int n, double *x) { x[0] = n + T; }

// Powers of two from zero
#pragma autotune kernel param(T: 0..16 pow2)
void f12(int n, double *x) { x[0] = n + T; }

// A misspelled range word
#pragma autotune kernel param(T: 1..16 pow)
void f13(int n, double *x) { x[0] = n + T; }

// A product
#pragma autotune kernel param(T: 16*16, 32*32)
void f14(int n, double *x) { x[0] = n + T; }

// Duplicates
#pragma autotune kernel param(T: 8, 16, 8)
void f15(int n, double *x) { x[0] = n + T; }

// Mixed kinds
#pragma autotune kernel param(T: 8, static)
void f16(int n, double *x) { x[0] = n + T; }

// A default that is no candidate
#pragma autotune kernel param(T = 4: 8, 16)
void f17(int n, double *x) { x[0] = n + T; }

// Nothing after the colon
#pragma autotune kernel param(T: )
void f18(int n, double *x) { x[0] = n + T; }

// A comma too many
#pragma autotune kernel param(T: 1, 2, )
void f19(int n, double *x) { x[0] = n + T; }

// The name of an argument
#pragma autotune kernel param(n: 1, 2)
void f21(int n, double *x) { x[0] = n; }

// The name of a local variable
#pragma autotune kernel param(m: 1, 2)
void f22(int n, double *x) { int m = n; x[0] = m; }

// A keyword
#pragma autotune kernel param(int: 1, 2)
void f23(int n, double *x) { x[0] = n; }

// Two in one clause
#pragma autotune kernel param(T: 1, 2, U: 3, 4)
void f24(int n, double *x) { x[0] = n + T + U; }

// Twice the same name
#pragma autotune kernel param(T: 1, 2) param(T: 3, 4)
void f25(int n, double *x) { x[0] = n + T; }

// A reserved name
#pragma autotune kernel param(AUTOTUNE_T: 1, 2)
void f26(int n, double *x) { x[0] = n + AUTOTUNE_T; }

// A character
#pragma autotune kernel param(T: 'a', 'b')
void f27(int n, double *x) { x[0] = n + T; }

// A number that is too large
#pragma autotune kernel param(T: 99999999999999999999, 2)
void f28(int n, double *x) { x[0] = n + T; }

// A malformed number
#pragma autotune kernel param(T: 0x, 2)
void f29(int n, double *x) { x[0] = n + T; }

// A unit after a number
#pragma autotune kernel param(T: 32K, 64K)
void f30(int n, double *x) { x[0] = n + T; }

// Dots as an ellipsis among values
#pragma autotune kernel param(T: 1, 2, ..., 8)
void f31(int n, double *x) { x[0] = n + T; }

// Tuples of different lengths
#pragma autotune kernel param(T: (1, 2), (3))
void f32(int n, double *x) { int t[2] = { T }; x[0] = n + t[0]; }

// A macro with arguments
#define T33(x) (x)
#pragma autotune kernel param(T33: 1, 2)
void f33(int n, double *x) { x[0] = n + T33(1); }
