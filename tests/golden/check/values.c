/* Every kind of candidate, and where defaults come from. */
#define MR (4)
#define CHUNK 0x10 /* a comment */
#define MODE fast
#ifdef SMALL
#define SIZE 8
#else
#define SIZE 16
#endif
#define OTHER 7

#pragma autotune kernel param(MR: 2, 4, 6) param(NR: 8..64 pow2) param(KC: 64..256 step 64) \
    param(CHUNK: {1..3, 16}, 32) param(SCALE: 0.5, 1, 2e0) param(MODE: safe, fast) \
    param(TEXT: "a, b", "c)") param(PAIR: (1,2), (2,1)) param(SIZE: 8, 16) param(OTHER: 1, 2) \
    param(LATER = 3: 1, 2, 3) param(NEGATIVE: -2..1, -7) param(MANY: 1..100) \
    flags("-O2", "-O3 -ffast-math", "") flags("-mprefer-vector-width=512") compiler(clang, gcc-12, gcc)
void f(int n, double *x)
{
  double t[MR * NR * KC + CHUNK + SIZE + OTHER + MANY + LATER];
  const char *s = TEXT;
  mix(n, x, t, s, SCALE, MODE, PAIR, NEGATIVE);
}
