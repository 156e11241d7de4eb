/* Writes that no section names are told where they are certain. */
#include <string.h>
int hist[256], counter, grid[4][8], marks[16];
static int own[16];
static int seen[16];
double *heap;
struct cell { int x, y; } cells[10];
struct sim { int n; double *cur, *next, *ghost; double sums[4]; int steps; } global;
#define TOUCH(i) hidden[i]++
int hidden[4];
static void helper(int i)
{
  grid[i][1] = i;
  seen[i] = 2;
  if (i)
    helper(i - 1);
}
int read_seen(void) { return seen[3]; }

#pragma autotune kernel param(A: 1, 2) in(s->cur[0:s->n]) out(s->next[0:s->n]) scratch(marks)
void told(struct sim *s, int n, double *extra, int *flag, const double *read)
{
  int local = 0, here[3];
  double *other = extra;
  for (int i = 0; i < n; i++) {
    s->next[i] = A * s->cur[i] / A;
    s->ghost[i] = 0;
    s->sums[i % 4] += 1;
    hist[i % 256]++;
    cells[i % 10].x = i;
    global.steps++;
    extra[i] = read[i];
    other[i] = 3;
    heap[i] = 3;
    own[i % 16] = i;
    marks[i % 16] = i;
    local++;
    here[i % 3] = local;
  }
  s->steps = here[0];
  *flag = 1;
  counter += 2;
  memset(&seen[2], 0, 4 * sizeof *seen);
  helper(3);
  TOUCH(2);
#if 0
  hidden[3] = 1;
#endif
}

// `c` is another address later, `grid` a variable of the function, and `v` is passed by value.
#pragma autotune kernel param(A: 1, 2) in(a[0:n]) out(global)
void not_told(int n, const double *a, double *c, struct cell v)
{
  int grid[4] = { 0 };
  global.steps = A - A;
  global.sums[1] = a[0];
  grid[n % 4] = 1;
  v.x = grid[2];
  c = heap;
  c[v.x] = a[n - 1];
}

int elsewhere[];
#pragma autotune kernel param(A: 1, 2) out(a[0:n])
void types(int n, double *a, struct sim *s, double (*rows)[8], struct sim *many)
{
  (*s).steps = A;
  rows[n][3] = 1;
  elsewhere[n] = 2;
  many[n].n = n;
  a[0] = 1;
}

// What pointers in memory lead to is not certain: no section `rows[0:N]` would name it.
#pragma autotune kernel param(A: 1, 2) out(a[0:n])
void behind_pointers(int n, double *a, double **rows, struct sim **all, struct sim *many)
{
  rows[n][1] = A;
  *rows[n] = 2;
  **rows = 1;
  all[n]->steps = 1;
  (*all)->steps = 1;
  many[n].cur[0] = 1;
  a[0] = 1;
}

// Nothing is declared, so nothing is forgotten.
#pragma autotune kernel param(A: 1, 2)
void undeclared(int n)
{
  counter += A * n / A;
}
