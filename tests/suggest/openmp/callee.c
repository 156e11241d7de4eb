/* Functions that are called in parallel loops: a kernel that calls them comes first. */
#include <stdio.h>

struct point {
  float weight, cost;
  float *at;
};
struct points {
  int n, dim;
  struct point *list;
};

static long compared;

/* Its code is not understood as a whole, and it is called in a loop that can be a kernel: it is none itself. */
float distance(struct point a, struct point b, int dim)
{
  float sum = 0;
  compared++;
  for (int i = 0; i < dim; i++)
    sum += (a.at[i] - b.at[i]) * (a.at[i] - b.at[i]);
  return sum;
}

void costs(struct points *p)
{
  #pragma omp parallel for
  for (int i = 0; i < p->n; i++)
    p->list[i].cost = distance(p->list[i], p->list[0], p->dim) * p->list[i].weight;
}

/* The loop that calls it prints, so it can be no kernel: its own loop is one. */
float length(struct point a, int dim)
{
  float sum = 0;
  compared++;
  for (int i = 0; i < dim; i++)
    sum += a.at[i] * a.at[i];
  return sum;
}

void show(struct points *p)
{
  #pragma omp parallel for
  for (int i = 0; i < p->n; i++)
    printf("%g\n", length(p->list[i], p->dim));
}

/* `at` is declared before the loop, and read after it. The loop sets it first, so each run begins at the same place. */
int last(struct points *p)
{
  int at = 0;
  #pragma omp parallel for
  for (at = 0; at < p->n; at++)
    p->list[at].cost = distance(p->list[at], p->list[0], p->dim) * p->list[at].weight;
  return at;
}
