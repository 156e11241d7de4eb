// SPDX-License-Identifier: Apache-2.0
// write.c: writes a nest as text.
//
// Jammed copies stand innermost in loops of constant length, to be unrolled in full, in
// one copy of the nest for full blocks; each of the other copies runs over the rest of
// one block. Measured with `C[i*n+j] += A[i*n+k] * B[k*n+j]` in double and restrict,
// order i, k, j, blocks of 4 by 4 and tiles of 128 by 512, n = 1024, one AVX-512 core: 25
// GFLOP/s with Clang 22 and 24 with gcc 12, the same as with 16 statements written out,
// whether the outer loops count blocks or step by 4, and with `omp simd` on j too
// (without restrict 11 and 9: the sums then go through memory). Blocks over i and j with
// k innermost, which need the vectoriser for straight code, reach 5 to 10. Sizes and
// factors can stay macros in this form.
#include <stdlib.h>
#include <string.h>

#include "loops.h"

const char loops_prologue[] =
    "#ifndef AUTOTUNE_DISTANCE\n"
    "#define AUTOTUNE_DISTANCE(a, b) ((unsigned long long)(__typeof__(1 ? (a) : (b)))(b) - \\\n"
    "  (unsigned long long)(__typeof__(1 ? (a) : (b)))(a))\n"
    "#define AUTOTUNE_STRING(x) #x\n"
    "#define AUTOTUNE_PRAGMA(x) _Pragma(AUTOTUNE_STRING(x))\n"
    "#define AUTOTUNE_APPLY(f, x) f x\n"
    "#endif\n";

struct state {
  struct builder *b;
  const struct nest *n;
  struct text *out;
  unsigned done;               /* loops whose preludes are written */
  uint64_t setups;             /* loops whose setups are written, by place */
  uint64_t between;            /* declarations between loops that are written */
  uint64_t full;               /* loops in whose full blocks this copy stands, by place */
  bool plain;                  /* in the rest of a block: loops inside are not jammed */
  bool outlined;               /* inside of a function of its own */
  const struct region *region; /* whose `for` is in that function; or NULL */
  unsigned group; /* the headers before this place must stand together (collapse) */
};

static void write_from(struct state st, unsigned at);

static void write_hint(struct text *out, const struct loop *l, bool after_openmp) {
  static const char *const clang[] = { "", "unroll(enable)", "unroll_count(%s)",
                                       "unroll(full)" };
  static const char *const gcc[] = { "", "#pragma GCC unroll 4\n",
                                     "AUTOTUNE_PRAGMA(GCC unroll %s)\n",
                                     "#pragma GCC unroll 64\n" };
  if (!l->hint)
    return;
  const char *factor = l->factor ? l->factor : "";
  text_printf(out, "#ifdef __clang__\n#pragma clang loop ");
  text_printf(out, l->hint == HINT_PARTIAL ? clang[l->hint] : "%s",
              l->hint == HINT_PARTIAL ? factor : clang[l->hint]);
  text_printf(out, "\n");
  if (!after_openmp) { // gcc takes no other pragma there
    text_printf(out, "#else\n");
    text_printf(out, l->hint == HINT_PARTIAL ? gcc[l->hint] : "%s",
                l->hint == HINT_PARTIAL ? factor : gcc[l->hint]);
  }
  text_printf(out, "#endif\n");
}

// Returns how many loops the user's own `#pragma omp` above our directives applies to; 0:
// it shares no loop.
static unsigned lead_collapse(const struct builder *b) {
  struct lexer l = lexer_of(b->lead);
  bool shares = false;
  unsigned count = 1;
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    shares = shares || slice_is(t.text, "for") || slice_is(t.text, "loop") ||
        slice_is(t.text, "taskloop");
    if (slice_is(t.text, "collapse") && slice_is(lex(&l).text, "("))
      count = (unsigned)strtoul(lex(&l).text.data, NULL, 0);
  }
  return shares ? count : 0;
}

// True if threads share one of these loops.
static bool write_shared(const struct state *st) {
  bool any = lead_collapse(st->b) > 0;
  for (unsigned i = 0; i < st->n->n; i++)
    any = any || st->n->loops[i].sharing;
  return any;
}

// Writes L's header. A loop that would change a variable shared by all threads gets its
// own variable.
static void write_header(const struct state *st, const struct loop *l) {
  if (!l->raw || l->dim->type.size || !write_shared(st)) {
    range_header(st->out, st->b, l);
    return;
  }
  const struct slice h = l->dim->header;
  const char *rest = memchr(h.data, '(', h.size);
  write_line(st->b, st->out, l->dim->offset);
  text_printf(st->out, "for (__typeof__(%s) %.*s ", l->var,
              (int)(h.data + h.size - rest - 1), rest + 1);
}

// Writes the pragmas of the loop at place AT. True if an OpenMP directive is among them.
static bool write_pragmas(struct state *st, unsigned at) {
  const struct nest *n = st->n;
  const struct loop *l = &n->loops[at];
  bool any = false;
  if (at == 0 && st->b->lead.size) {
    text_printf(st->out, "%.*s\n", (int)st->b->lead.size, st->b->lead.data);
    st->group = lead_collapse(st->b);
    any = true;
  }
  for (unsigned i = 0; i < n->n; i++) {
    const struct loop *from = &n->loops[i];
    if (!from->pragma || (from->innermost ? at + 1 != n->n : i != at))
      continue;
    text_printf(st->out, "%s",
                st->region && from->region == st->region ? st->region->share
                                                         : from->pragma);
    any = true;
    if (i == at && at + from->collapse > st->group)
      st->group = at + from->collapse;
  }
  write_hint(st->out, l, any);
  return any;
}

static void write_setups(struct state *st) {
  uint64_t missing = 0;
  for (unsigned i = st->done; i < st->n->n; i++)
    missing |= BIT(st->n->loops[i].id);
  for (unsigned i = 0; i < st->n->n; i++) {
    const struct loop *l = &st->n->loops[i];
    if ((st->setups & BIT(i)) || (l->needs & missing & ~BIT(l->id)))
      continue;
    st->setups |= BIT(i);
    text_printf(st->out, "%s", l->setup);
  }
}

// True if the loops that D stands in are around the code from place AT on.
static bool write_is_within(const struct state *st, const struct between *d,
                            unsigned at) {
  for (unsigned i = 0; i < st->n->n; i++)
    for (const struct dim *o = d->dim; o; o = o->outer)
      if (st->n->loops[i].dim == o && (i >= at || (st->full & BIT(i))))
        return false;
  return true;
}

// Writes the declarations between loops as far outside as they can stand. INNERMOST: no
// loop follows.
static void write_between(struct state *st, unsigned at, bool innermost) {
  for (unsigned i = st->n->n_between; i-- > 0;) {
    const struct between *d = &st->n->between[i];
    if ((st->between & BIT(i)) || !(innermost || write_is_within(st, d, at)))
      continue;
    st->between |= BIT(i);
    write_line(st->b, st->out, (size_t)(d->text.data - st->b->s->text));
    text_printf(st->out, "%.*s\n", (int)d->text.size, d->text.data);
  }
}

static void open_copies(struct state *st, const struct loop *l) {
  const struct loop *p = l->jam->point;
  const char *index = arena_printf("autotune_k%u", l->id);
  text_printf(st->out,
              "#ifdef __clang__\n#pragma clang loop unroll(full)\n#else\n"
              "#pragma GCC unroll 64\n#endif\n");
  text_printf(st->out, "for (int %s = 0; %s < (%s); %s++) {\n", index, index,
              l->jam->factor, index);
  const char *times = strcmp(p->step, "1") == 0 ? "" : arena_printf(" * %s", p->step);
  if (p->pointer)
    text_printf(st->out, "%s %s = %s %c %s%s;\n", p->type, p->var, p->start,
                p->down ? '-' : '+', index, times);
  else
    text_printf(st->out, "%s %s = (%s)(%s %c (%s)%s%s);\n", p->type, p->var, p->type,
                p->start, p->down ? '-' : '+', p->type, index, times);
  text_printf(st->out, "%s", p->prelude);
}

static void write_part(struct state *st, const struct part *p) {
  bool skips = p->skips && st->n->n_parts > 1;
  text_printf(st->out, "%s", p->open);
  if (p->labels)
    text_printf(st->out, "{ __label__ %s;\n", p->labels);
  unsigned n_private = 0;
  struct slice *own = write_shared(st)
      ? live_counters(&st->b->u, st->n->root, p->body, &n_private)
      : NULL;
  text_printf(st->out, "%s", skips ? "do {" : "");
  for (unsigned i = 0; i < n_private; i++)
    text_printf(st->out, "%s__typeof__(%.*s) %.*s;\n", i ? "" : "{ ", (int)own[i].size,
                own[i].data, (int)own[i].size, own[i].data);
  write_line(st->b, st->out, ts_node_start_byte(p->body.first));
  text_add(st->out, p->text, strlen(p->text));
  text_printf(st->out, "\n%s%s%s%s", n_private ? "}\n" : "",
              skips ? "} while (0);\n" : "", p->labels ? "}\n" : "", p->close);
  st->b->copies += p->copies;
}

static void write_body(struct state *st) {
  unsigned open = 0;
  for (unsigned i = 0; i < st->n->n; i++)
    if (st->full & BIT(i)) {
      open_copies(st, &st->n->loops[i]);
      open++;
    }
  write_between(st, st->n->n, true);
  for (unsigned i = 0; i < st->n->n_parts; i++)
    write_part(st, &st->n->parts[i]);
  while (open-- > 0)
    text_printf(st->out, "}\n");
}

// Writes the iterations of one block as a loop around the remaining code.
static void write_rest(struct state st, const struct loop *l, unsigned at) {
  range_header(st.out, st.b, l->jam->point);
  text_printf(st.out, "{\n%s", l->jam->point->prelude);
  st.plain = true;
  write_from(st, at);
  text_printf(st.out, "}\n");
}

static void write_blocks(struct state st, const struct loop *l, unsigned at) {
  struct state full = st;
  bool known = st.b->fixed &&
      strspn(l->jam->factor, "0123456789") == strlen(l->jam->factor);
  bool elide = l->jam->elide && !known;
  if (st.plain) {
    write_rest(st, l, at);
    return;
  }
  full.full |= BIT(st.done - 1);
  text_printf(st.out, "if (%s) {\n", l->jam->full);
  write_from(full, at);
  text_printf(st.out, "}\n");
  if (known && strtoul(l->jam->factor, NULL, 10) <= 1)
    return;
  if (elide)
    text_printf(st.out, "#if (%s) > 1\n", l->jam->factor);
  text_printf(st.out, "else {\n");
  write_rest(st, l, at);
  text_printf(st.out, "}\n");
  if (elide)
    text_printf(st.out, "#endif\n");
}

// True if loops run inside of the first AT ones, so that a call takes little of the time
// of what it runs. Called for each element, y[i] += a * x[i] takes 7 times as long.
static bool write_holds_loops(const struct nest *n, unsigned at) {
  static const char *const loops[] = { "for_statement", "for_range_loop",
                                       "while_statement", "do_statement" };
  for (unsigned i = at; i < n->n; i++)
    if (n->loops[i].hint == HINT_NONE)
      return true;
  for (unsigned i = 0; i < n->n_parts; i++) {
    struct body body = n->parts[i].body;
    for (TSNode s = body.first; !ts_node_is_null(s); s = body_next(body, s))
      for (size_t j = 0; j < sizeof loops / sizeof *loops; j++)
        if (node_holds(s, loops[j]))
          return true;
  }
  return false;
}

// Adds the variables of the first AT loops, which are around the function's code.
static void write_counters(const struct nest *n, unsigned at, struct moved *m) {
  for (unsigned i = 0; i < at; i++) {
    const struct loop *l = &n->loops[i];
    struct slice type = l->dim->type;
    if (l->raw && type.size)
      text_printf(&m->params, ", %.*s %s", (int)type.size, type.data, l->var);
    else if (!l->raw && strncmp(l->type, "__typeof__", 10) != 0)
      text_printf(&m->params, ", %s %s", l->type, l->var);
    else
      continue; // it is one of the locals
    text_printf(&m->args, ", %s", l->var);
  }
}

// Writes a function with what is inside of the first AT loops and a call of it. R is the
// pragma of loop AT, or NULL: AT is not 0, and threads share the loops around. False: the
// code stays in place.
static bool write_outlined(struct state st, unsigned at, const struct region *r) {
  struct moved m = { 0 };
  struct text body = { 0 };
  struct builder *b = st.b;
  if (!b->functions || !outline(b, st.n->root, st.n, at, r, &m))
    return false;
  write_counters(st.n, at, &m);
  const char *name = outline_name(b);
  text_printf(st.out, "%s%s(%s);\n", r ? r->team : "", name, m.args.data);
  text_printf(&body, "static __attribute__((__noinline__)) void %s(%s)\n{\n%s%s", name,
              m.params.data, m.begin.size ? m.begin.data : "", r ? "" : "do {\n");
  st.out = &body;
  st.setups = st.between = 0;
  st.outlined = true;
  st.region = r;
  write_setups(&st);
  write_from(st, at);
  if (!r)
    text_printf(&body, "} while (0);\n"); // a `continue` of the shared loop leads here
  text_printf(&body, "%s}\n", m.end.size ? m.end.data : "");
  text_add(b->functions, body.data, body.size);
  return true;
}

// True if the code from loop AT on became a call of a function.
static bool write_moved(const struct state *st, unsigned at) {
  const struct nest *n = st->n;
  const struct region *r = at < n->n ? n->loops[at].region : NULL;
  bool alone = at > 0 || st->b->lead.size == 0;
  if (st->outlined)
    return false;
  if (r && alone && at >= st->group && write_outlined(*st, at, r))
    return true;
  return at > 0 && at == st->group && write_shared(st) && write_holds_loops(n, at) &&
      write_outlined(*st, at, NULL);
}

static void write_from(struct state st, unsigned at) {
  const struct nest *n = st.n;
  if (write_moved(&st, at))
    return;
  if (at >= st.group) {
    while (st.done < at) {
      const struct loop *p = &n->loops[st.done++];
      text_printf(st.out, "%s", p->prelude);
      if (p->jam) {
        write_blocks(st, p, at);
        return;
      }
    }
    write_setups(&st);
    write_between(&st, at, false);
  }
  if (at == n->n) {
    write_body(&st);
    return;
  }
  const struct loop *l = &n->loops[at];
  if (l->guard)
    text_printf(st.out, "if (%s)\n", l->guard);
  if (at >= st.group)
    write_pragmas(&st, at);
  write_header(&st, l);
  text_printf(st.out, "{\n");
  write_from(st, at + 1);
  text_printf(st.out, "}\n");
}

void nest_write(struct builder *b, struct nest *n, struct text *out) {
  bool block = false;
  for (unsigned i = 0; i < n->n; i++) {
    struct loop *l = &n->loops[i];
    if (l->raw && l->dim->type.size == 0 && l->dim->affected)
      range_make(b, l);
    block = block || *l->setup || l->guard;
  }
  if (block)
    text_printf(out, "{\n");
  struct state st = { .b = b, .n = n, .out = out };
  write_from(st, 0);
  if (block) {
    finals_write(b, n, out);
    text_printf(out, "}\n");
  }
}
