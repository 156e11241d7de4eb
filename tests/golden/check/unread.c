/* The grammar takes this enum for the head of a function, whose body holds what follows. */
enum __attribute__((packed)) e { E1, E2 };
__extension__ typedef struct { int n; __extension__ union { int u; float f; }; } ext;
_Noreturn void die(void);
__asm__(".globl foo_sym\nfoo_sym = 0");
extern int foo_sym;
static inline __attribute__((always_inline)) int add(int a, int b) { return a + b; }
#pragma autotune kernel param(U: 1, 2) inout(y[0:n])
void k(int n, ext *y, ext e, enum e en, const ext *t, int w) {
  for (int i = 0; i < n; i++) y[i].n = add(y[i].n, U - U + e.u + en + w + t->u);
}
