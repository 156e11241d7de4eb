// SPDX-License-Identifier: Apache-2.0
// Types: structs, unions and enums, with and without names, bit fields, packed, flexible arrays, tables
// of functions, designated initialisers, by value and by pointer.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define UNROLL 2

struct opaque;
typedef struct opaque *handle;
enum mode { PLAIN, TWICE = 2, NEVER };
enum { OFFSET = 5, WIDTH = OFFSET + 3 };
typedef struct { int x, y; } pair;
#pragma pack(push, 1)
struct tight { char tag; int value; union { short s; unsigned char b[2]; }; };
#pragma pack(pop)
_Static_assert(sizeof(struct tight) == 7, "packed");
#define PACKED __attribute__((__packed__))
enum { EDGE = 16 };
struct __attribute__((packed)) close { char tag; int value; };
struct __attribute__((aligned(EDGE))) closer { struct close c; union __attribute__((aligned(EDGE))) { int i; } u; };
_Static_assert(sizeof(struct close) == 5, "packed");
struct bits { unsigned low : 3, high : 5; int : 0; int rest; };
struct list { size_t n; struct node { struct node *next; int32_t v; } head; int tail[]; };
typedef int (*operation)(int, int);
typedef int32_t matrix[4][4];
typedef uint8_t small;

static int plus(int a, int b) { return a + b; }
static int times(int a, int b) { return a * b; }
static const operation operations[] = { [PLAIN] = plus, [TWICE] = times };
static int (*const both[2])(int, int) = { times, plus };
static const struct { const char *name; int value; } table[] = {
  { .name = "one", .value = 1 }, [2] = { .value = 3, .name = "three" } };
static const pair origin = { .y = 4, .x = 3 }, *const at = &origin;

#pragma autotune kernel param(UNROLL: 1, 2, 3) inout(out[0:WIDTH]) in(l[0:1], m[0:4][0:4], t[0:1])
pair work(struct closer near, enum mode mode, pair p, const struct tight *t, struct bits b, const struct list *l,
          matrix m, register handle h, small s, _Bool flag, int *restrict out)
{
  (void)h;
  struct PACKED { char tag; int value; } own = { 'b', near.c.value + near.u.i };
  pair r = { p.x + t->value + t->b[0], p.y + (int)b.low + (int)b.high + b.rest };
  for (int i = 0; i < WIDTH; i += UNROLL)
    for (int j = i; j < i + UNROLL && j < WIDTH; j++)
      out[j] += operations[mode](j, m[j % 4][1]) + both[j & 1](j, l->head.v) + table[2].value +
                (int)strlen(table[0].name) + at->x + origin.y + s + flag;
  r.x += own.value + (int)sizeof own;
  r.x += (int)offsetof(struct list, tail) + (int)l->n;
  return r;
}

int main(void)
{
  struct tight t = { 'a', 70000, { 258 } };
  struct list l = { 2, { NULL, 6 } };
  matrix m = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9 }, { 1, 1 } };
  int out[WIDTH] = { 0 };
  pair r = work((struct closer){ { 'c', 7 }, { 9 } }, TWICE, (pair){ 1, 2 }, &t, (struct bits){ 3, 17, 1 }, &l, m, NULL, 200, 1, out);
  printf("%d %d %d %d\n", r.x, r.y, out[0], out[WIDTH - 1]);
  return 0;
}
