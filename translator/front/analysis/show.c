// SPDX-License-Identifier: Apache-2.0
// show.c: polynomials, and conditions on them, as text in C. Numbers are made wide where
// a product or a difference would not fit.
#include "analysis.h"

// Appends T. *SUM: the sum that T is added to is wide.
static void put_term(const struct model *m, struct term t, enum poly_use use, bool *sum,
                     struct text *out) {
  bool number = t.c != 1 || !t.m, alone = t.c == 1 && !(t.m >> 8);
  if (number)
    text_printf(out, "%lld", (long long)t.c);
  for (bool first = true; t.m; t.m >>= 8, first = false) {
    struct slice name = m->atoms[(t.m & 255) - 1];
    struct integer_type type = model_type(m, declared_type(m, name));
    bool fits = type.known && (use == POLY_VALUE || !type.is_unsigned) &&
        (type.size == 8 || !first || (alone && *sum));
    text_printf(out, "%s%s%.*s", first && !number ? "" : " * ",
                use == POLY_PLAIN || fits ? "" : "(long long)", (int)name.size,
                name.data);
    *sum = true;
  }
}

// True if P is a name or a number that is not negative.
static bool poly_is_alone(struct poly p) {
  return p.n == 0 ||
      (p.n == 1 && p.terms[0].c > 0 &&
       (!p.terms[0].m || (p.terms[0].c == 1 && !(p.terms[0].m >> 8))));
}

const char *poly_text(const struct model *m, struct poly p, enum poly_use use) {
  struct text out = { 0 };
  bool sum = false;
  if (use == POLY_VALUE && poly_is_alone(p))
    use = POLY_PLAIN;
  for (int sign = 1; sign >= -1; sign -= 2)
    for (unsigned i = p.n; i-- > 0;) {
      struct term t = p.terms[i];
      if ((t.c > 0) != (sign > 0))
        continue;
      text_printf(&out, "%s", sign < 0 ? out.size ? " - " : "-" : out.size ? " + " : "");
      t.c = t.c < 0 ? -t.c : t.c;
      put_term(m, t, use, &sum, &out);
    }
  return out.size ? out.data : "0";
}

enum poly_use poly_compared(const struct model *m, struct poly a, struct poly b) {
  int64_t number;
  if (!poly_is_alone(a) || !poly_is_alone(b))
    return POLY_COMPARED;
  if (poly_is_int(a, &number) || poly_is_int(b, &number))
    return POLY_PLAIN;
  struct integer_type x = model_type(
                          m, declared_type(m, m->atoms[(a.terms[0].m & 255) - 1])),
                      y = model_type(
                          m, declared_type(m, m->atoms[(b.terms[0].m & 255) - 1]));
  return x.known && y.known && x.is_unsigned == y.is_unsigned ? POLY_PLAIN
                                                              : POLY_COMPARED;
}

// Returns the condition P >= 0 without a difference.
static const char *guard_text(const struct model *m, struct poly p) {
  struct poly left = poly_int(0), right = poly_int(0);
  int64_t number;
  for (unsigned i = 0; i < p.n; i++) {
    struct poly one = { &p.terms[i], 1, true };
    if (p.terms[i].c > 0)
      left = poly_add(left, one, 1);
    else
      right = poly_add(right, one, -1);
  }
  bool one = poly_is_int(right, &number) && number == 1;
  enum poly_use use = poly_compared(m, left, right);
  return arena_printf("%s %s %s", poly_text(m, left, use),
                      one ? ">" : ">=", one ? "0" : poly_text(m, right, use));
}

// True if the other guards, those not yet DROPPED, imply the one at place WHICH.
static bool section_follows(const struct poly *guards, unsigned n, const bool *dropped,
                            unsigned which) {
  struct system s = { 0 };
  for (unsigned i = 0; i < n; i++)
    if (i != which && !dropped[i])
      system_add(&s, guards[i], false);
  return system_implies(&s, guards[which]);
}

const char *conditions_text(const struct model *m, const struct poly *guards,
                            unsigned n) {
  struct text out = { 0 };
  bool *dropped = arena_alloc(n + 1);
  for (unsigned i = 0; i < n; i++)
    dropped[i] = section_follows(guards, n, dropped, i);
  for (unsigned i = 0; i < n; i++)
    if (!dropped[i])
      text_printf(&out, "%s%s", out.size ? " && " : "", guard_text(m, guards[i]));
  return out.data;
}
