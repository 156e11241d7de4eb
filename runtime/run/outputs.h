/* SPDX-License-Identifier: Apache-2.0 */
/* outputs.h: what a call reads and writes, as numbers with one scale each: one output for
 * each leaf of each section and of the value that the kernel returns. verify.h has the
 * rule. */
#ifndef AUTOTUNE_OUTPUTS_H
#define AUTOTUNE_OUTPUTS_H

#include "model/layout.h"
#include "model/memory.h"
#include "verify.h"

struct output {
  unsigned section; /* its index; n_sections: the value that the kernel returns */
  unsigned leaf;
  const struct autotune_layout *layout;
  enum autotune_element element; /* as layout_element */
  const struct memory *memory;   /* of its section; NULL: not known, for names alone */
};
struct outputs {
  struct output *list; /* in the order of sections; the leaves of one in their order */
  unsigned n;
  struct layout_plain *plain; /* the layouts of sections that have none */
};
/* Sets O to the outputs of K. False: no memory. */
bool outputs_new(struct outputs *o, const struct autotune_kernel *k);
void outputs_free(struct outputs *o);
/* True if the tolerance of an output that K writes depends on its scale. */
bool outputs_need_scale(const struct autotune_kernel *k);

/* These work on the numbers of O in DATA, the BYTES bytes of its section: verify_count,
 * verify_move and verify_nudge for all of them. */
void output_count(const struct output *o, const void *data, size_t bytes,
                  struct verify_counts *c);
void output_move(const struct output *o, const void *reference, const void *other,
                 size_t bytes, struct verify_noise *n, struct verify_moves *m);
size_t output_nudge(const struct output *o, void *data, size_t bytes, struct nudge nudge);

/* Returns the limit for O (struct verify_noise) that OTHER shows: verify_limit of SCALE,
 * or of DATA if O is nothing but rounding. 0: OTHER does not differ from REFERENCE. RTOL:
 * of its tolerance; SCALE and DATA as in verify_settle. The largest limit of all runs
 * counts: where equal numbers cancel exactly, only nudges apart show the rounding. */
double output_limit(const struct output *o, const void *reference, const void *other,
                    size_t bytes, double rtol, double scale, double data);
/* Returns how many numbers there are. */
size_t output_numbers(const struct output *o, size_t bytes);

/* The number that comes closest to what is allowed. */
struct output_deviation {
  struct deviation d;
  size_t at; /* bytes after the beginning of its section */
};
/* True if all of O in GOT agrees with REFERENCE; MOST, unless it is NULL, is then updated
 * as by verify_difference. Else MESSAGE (of SIZE) says where in
 * NAME they differ and by how much: "C[0:n]: element 17 is 1.5 instead of 1", "p[17].im
 * is 0.25 instead of 0.5". */
bool output_compare(const struct output *o, struct tolerance t, const char *name,
                    const void *reference, const void *got, size_t bytes,
                    struct output_deviation *most, char *message, size_t size);
/* Writes into TEXT what the number of O that stands AT bytes after the beginning of
 * section NAME is called: "x[3][17].im", or as layout_name says. */
void output_name(const struct output *o, const char *name, size_t at, char *text,
                 size_t size);
/* Writes D, whose name is WHERE, for people: "3e-13 relative, 2e-12 absolute, C[17]", or
 * "bit for bit the same". */
void output_tell_deviation(const struct deviation *d, const char *where, char *text,
                           size_t size);

#endif
