// SPDX-License-Identifier: Apache-2.0
// pieces.c: divides the iterations of statements into pieces, each of which can have an
// order of its own ("index set splitting": M. Griebl, P. Feautrier, C. Lengauer, "Index
// Set Splitting", IJPP 28, 2000).
//
// In `a[i][j] = f(a[i][j], a[i][k], a[k][j])` the row k and the column k are read by all
// other iterations, and written by a few. Where an iteration writes what it reads under
// another name (j = k), a plane divides those that come before it from those after it. In
// each of the three pieces nothing depends on another iteration with the same k.
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/set.h>

#include "scop.h"

enum { MOST_PLANES = 2, MOST_PIECES = 9 };

struct planes { // of a statement: functions of its loops that are 0 in a plane
  isl_aff *list[MOST_PLANES];
  unsigned n;
};

struct equality {
  isl_aff *aff;
  unsigned n;
};

static isl_stat planes_look(isl_constraint *c, void *user) {
  struct equality *e = user;
  if (isl_constraint_is_equality(c) == isl_bool_true) {
    isl_aff_free(e->aff);
    e->aff = isl_constraint_get_aff(c);
    e->n++;
  }
  isl_constraint_free(c);
  return isl_stat_ok;
}

// Adds the plane that MEET, iterations, is a part of, unless it is known. Frees MEET.
static void planes_add(struct planes *p, isl_set *meet) {
  struct equality e = { 0 };
  isl_basic_set *hull = isl_set_affine_hull(meet);
  isl_basic_set_foreach_constraint(hull, planes_look, &e);
  isl_basic_set_free(hull);
  bool new = e.n == 1 && p->n < MOST_PLANES &&
      isl_aff_involves_dims(e.aff, isl_dim_in, 0,
                            (unsigned)isl_aff_dim(e.aff, isl_dim_in)) == isl_bool_true;
  for (unsigned i = 0; i < p->n && new; i++) {
    isl_aff *minus = isl_aff_neg(isl_aff_copy(e.aff));
    new = isl_aff_plain_is_equal(p->list[i], e.aff) != isl_bool_true &&
        isl_aff_plain_is_equal(p->list[i], minus) != isl_bool_true;
    isl_aff_free(minus);
  }
  if (new)
    p->list[p->n++] = e.aff;
  else
    isl_aff_free(e.aff);
}

static struct planes planes_of(struct scop *s, struct statement *st) {
  struct planes p = { 0 };
  unsigned n = s->m->n_accesses + s->n_more;
  for (unsigned i = 0; i < n * n; i++) {
    const struct access *x = scop_access(s, i / n), *y = scop_access(s, i % n);
    if (!x->write || !y->read || x->array != y->array ||
        scop_statement(s, x->node) != st || scop_statement(s, y->node) != st)
      continue;
    isl_union_set *meet = scop_meeting(s, st, x, y);
    if (isl_union_set_is_empty(meet) == isl_bool_false)
      planes_add(&p, isl_set_from_union_set(meet));
    else
      isl_union_set_free(meet);
  }
  return p;
}

// Replaces each of the N sets LIST by its parts before, in and after the plane AT, which
// it frees. Returns how many there are now.
static unsigned pieces_cut(isl_set **list, unsigned n, isl_aff *at) {
  isl_set *cut[MOST_PIECES];
  unsigned n_cut = 0;
  isl_aff *zero =
      isl_aff_zero_on_domain(isl_local_space_from_space(isl_aff_get_domain_space(at)));
  for (unsigned side = 0; side < 3; side++) {
    isl_aff *a = isl_aff_copy(at), *z = isl_aff_copy(zero);
    isl_set *part = side == 0 ? isl_aff_lt_set(a, z)
        : side == 1           ? isl_aff_eq_set(a, z)
                              : isl_aff_gt_set(a, z);
    for (unsigned i = 0; i < n && n_cut < MOST_PIECES; i++)
      cut[n_cut++] = isl_set_intersect(isl_set_copy(list[i]), isl_set_copy(part));
    isl_set_free(part);
  }
  for (unsigned i = 0; i < n; i++)
    isl_set_free(list[i]);
  for (unsigned i = 0; i < n_cut; i++)
    list[i] = cut[i];
  isl_aff_free(zero);
  isl_aff_free(at);
  return n_cut;
}

isl_union_map *pieces_of(struct scop *s) {
  isl_union_map *all = NULL;
  unsigned names = 0;
  bool some = false;
  for (unsigned i = 0; i < s->n; i++) {
    struct planes p = planes_of(s, &s->list[i]);
    isl_set *list[MOST_PIECES] = { scop_iterations(s, &s->list[i], NULL) };
    unsigned n = 1;
    some = some || p.n > 0;
    for (unsigned j = 0; j < p.n; j++)
      n = pieces_cut(list, n, p.list[j]);
    for (unsigned j = 0; j < n; j++) {
      isl_map *same = isl_set_identity(list[j]);
      same = isl_map_set_tuple_name(same, isl_dim_out, arena_printf("P%u", names++));
      isl_union_map *piece = isl_union_map_from_map(same);
      all = all ? isl_union_map_union(all, piece) : piece;
    }
  }
  return some ? all : isl_union_map_free(all);
}
