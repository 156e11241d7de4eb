// SPDX-License-Identifier: Apache-2.0
// References to the program: variables and functions with a state, passed by address;
// another kernel; a function that calls back; recursion; a prototype elsewhere; the
// standard library.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define B 8

int shared = 3;
static int private_ = 4;
static int sized[] = { 1, 2, 3, 4, 5 };
static const char *word = "word";
double grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
static struct { int a, b; } anonymous = { 1, 2 };
static double (*chosen)(double) = sqrt;
volatile int seen;
const int exported_table[3] = { 9, 8, 7 };
extern const int late_table[2];

static int counter(void)
{
  static int n = 100;
  return n += 0;
}
static int depth(int n) { return n ? 1 + depth(n - 1) : 0; }
int visible(int x);
int visible(int x) { return x + shared; }
static int is_odd(int n);
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
void work(int n, double *out);
double other(int n, double *out);

#pragma autotune kernel param(B: 4, 8) inout(out[0:n])
double other(int n, double *out)
{
  double sum = 0;
  for (int i = 0; i < n; i += B)
    for (int j = i; j < i + B && j < n; j++)
      sum += out[j] += 1;
  return sum;
}

#pragma autotune kernel param(B: 4, 8) inout(out[0:n], grid[0:2][0:3], anonymous)
void work(int n, double *out)
{
  double later = 1; // used by the kernel, not the variable below
  if (n > 4)
    work(n / 2, out);
  out[0] += later;
  for (int i = 0; i < n; i++)
    out[i] += shared + private_ + (int)(sizeof sized / sizeof *sized) + sized[i % 5] +
              (int)strlen(word) + grid[1][i % 3] + anonymous.b + chosen(16) + counter() +
              depth(3) + visible(1) + is_even(n) + exported_table[1] + late_table[1] +
              exp(0) + abs(-2) + (errno == 12345);
  grid[0][0] += 1;
  anonymous.a++;
  seen = B;
  out[0] += other(3, out);
}
static int later[3] = { 5 };
const int late_table[2] = { 5, 6 };

int main(void)
{
  double out[9] = { 0 };
  work(later[0] + 4, out);
  printf("%.17g %.17g %.17g %d\n", out[0], out[8], grid[0][0], anonymous.a);
  return 0;
}
