// SPDX-License-Identifier: Apache-2.0
// static.c: features of machine code. Loops are found from branches alone: a loop is the
// code between a backward branch and its target, which holds for code of compilers.
// (Blocks that were moved to the end of a function also branch back, but over a return.)
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "static.h"

const char *const feature_names[FEATURES] = {
  [FEATURE_BYTES] = "bytes",
  [FEATURE_INSTRUCTIONS] = "instructions",
  [FEATURE_LOADS] = "loads",
  [FEATURE_STORES] = "stores",
  [FEATURE_BRANCHES] = "branches",
  [FEATURE_CALLS] = "calls",
  [FEATURE_LOOPS] = "loops",
  [FEATURE_DEPTH] = "depth",
  [FEATURE_VECTOR_FRACTION] = "vector_share",
  [FEATURE_STACK] = "stack",
  [FEATURE_MAIN_SIZE] = "main_size",
  [FEATURE_MAIN_BITS] = "main_bits",
  [FEATURE_MAIN_SPILLS] = "main_spills",
  [FEATURE_MAIN_FLOATS] = "main_floats",
  [FEATURE_MAIN_FUSED] = "main_fused",
  [FEATURE_MAIN_LOADS] = "main_loads",
  [FEATURE_MAIN_STORES] = "main_stores",
  [FEATURE_CALL_L1] = "call_l1",
  [FEATURE_CALL_L2] = "call_l2",
  [FEATURE_CALL_L3] = "call_l3",
  [FEATURE_TILE_L1] = "tile_l1",
  [FEATURE_TILE_L2] = "tile_l2",
  [FEATURE_TILE_L3] = "tile_l3",
  [FEATURE_REGISTERS] = "registers",
  [FEATURE_SPILLED] = "spilled_bytes",
  [FEATURE_SHARED] = "shared_bytes",
  [FEATURE_OCCUPANCY] = "occupancy",
  [FEATURE_WAVES] = "waves",
  [FEATURE_TAIL] = "tail",
};

void features_clear(struct features *f) {
  for (unsigned i = 0; i < MAX_FEATURES; i++)
    f->values[i] = NAN;
}

// ---- loops --------------------------------------------------------------------------

struct loop {
  size_t first, last;
  unsigned depth;
  bool innermost;
}; // indices of instructions

// Counts over a range of instructions.
struct mix {
  unsigned n, bytes, loads, stores, branches, calls, vectors, stack, floats, fused, bits;
};

static struct mix static_count(const struct jit_instruction *code, size_t first,
                               size_t last) {
  struct mix m = { 0 };
  unsigned bits = 0; // widest vector of all instructions, for code without arithmetic
  for (size_t i = first; i <= last; i++) {
    unsigned f = code[i].flags, width = code[i].vector_bits;
    m.n++;
    m.bytes += code[i].size;
    m.loads += (f & JIT_LOAD) != 0;
    m.stores += (f & JIT_STORE) != 0;
    m.branches += (f & JIT_BRANCH) != 0;
    m.calls += (f & JIT_CALL) != 0;
    m.vectors += width != 0;
    m.stack += (f & JIT_STACK) != 0;
    m.floats += (f & JIT_FLOAT) != 0;
    m.fused += (f & JIT_FUSED) != 0;
    if (f & JIT_FLOAT && width > m.bits)
      m.bits = width;
    bits = width > bits ? width : bits;
  }
  m.bits = m.floats ? m.bits : bits;
  return m;
}

// Returns the index of the instruction at ADDRESS, below END; END: not found.
static size_t static_find(const struct jit_instruction *code, size_t end,
                          uint64_t address) {
  size_t low = 0, high = end;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (code[middle].address < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && code[low].address == address ? low : end;
}

static int by_place(const void *a, const void *b) {
  const struct loop *x = a, *y = b;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return x->last > y->last ? -1 : x->last < y->last; // the longer one first
}

// Branches back within one function become loops, in the order of their beginnings.
static unsigned find_branches(const struct jit_instruction *code, size_t n,
                              struct loop *loops) {
  size_t limit = 0; // begin of the function, or of the code placed after its return
  unsigned found = 0;
  for (size_t i = 0; i < n; i++) {
    if (code[i].flags & JIT_FIRST)
      limit = i;
    size_t target = code[i].flags & JIT_BRANCH && code[i].target < code[i].address
        ? static_find(code, i, code[i].target)
        : i;
    if (target < i && target >= limit)
      loops[found++] = (struct loop){ target, i, 1, true };
    if (code[i].flags & JIT_RETURN)
      limit = i + 1;
  }
  qsort(loops, found, sizeof *loops, by_place);
  return found;
}

// Several branches to one header are one loop. LOOPS is sorted, so outer loops come
// first. Where two loops overlap without nesting, the compiler has rotated one: the outer
// loop is extended to the end of the inner one.
static unsigned static_nest(struct loop *loops, unsigned n, unsigned *around) {
  unsigned kept = 0, open = 0;
  for (unsigned i = 0; i < n; i++) {
    if (kept > 0 && loops[i].first == loops[kept - 1].first)
      continue;
    struct loop *l = &loops[kept];
    *l = loops[i];
    while (open > 0 && loops[around[open - 1]].last < l->first)
      open--;
    l->depth = open + 1;
    for (unsigned j = 0; j < open; j++) {
      struct loop *outer = &loops[around[j]];
      outer->innermost = false;
      outer->last = outer->last < l->last ? l->last : outer->last;
    }
    around[open++] = kept++;
  }
  return kept;
}

static double static_weight(const struct loop *l) {
  return pow(8, l->depth < 8 ? l->depth : 8);
}

// Returns the vector widths of the loop's arithmetic; if no loop has arithmetic, of all
// its instructions.
static double static_work(const struct jit_instruction *code, const struct loop *l,
                          bool floats) {
  double sum = 0;
  for (size_t i = l->first; i <= l->last; i++) {
    bool counts = !floats || code[i].flags & JIT_FLOAT;
    unsigned width = code[i].vector_bits ? code[i].vector_bits : 64;
    sum += counts ? width * (code[i].flags & JIT_FUSED ? 2 : 1) : 0;
  }
  return sum * static_weight(l);
}

// ---- features -----------------------------------------------------------------------

static void static_whole(const struct mix *m, struct features *f) {
  f->values[FEATURE_BYTES] = (float)m->bytes;
  f->values[FEATURE_INSTRUCTIONS] = (float)m->n;
  f->values[FEATURE_LOADS] = (float)m->loads;
  f->values[FEATURE_STORES] = (float)m->stores;
  f->values[FEATURE_BRANCHES] = (float)m->branches;
  f->values[FEATURE_CALLS] = (float)m->calls;
}

static void main_loop(const struct mix *m, struct features *f) {
  unsigned moves = m->loads + m->stores + m->branches + m->calls;
  unsigned other = m->n > moves ? m->n - moves : 1;
  float arithmetic = (float)(m->floats ? m->floats : other);
  f->values[FEATURE_MAIN_SIZE] = (float)m->n;
  f->values[FEATURE_MAIN_BITS] = (float)m->bits;
  f->values[FEATURE_MAIN_SPILLS] = (float)m->stack;
  f->values[FEATURE_MAIN_FLOATS] = (float)m->floats;
  f->values[FEATURE_MAIN_FUSED] = m->floats ? (float)m->fused / (float)m->floats : 0;
  f->values[FEATURE_MAIN_LOADS] = (float)m->loads / arithmetic;
  f->values[FEATURE_MAIN_STORES] = (float)m->stores / arithmetic;
}

// Sets the features of all innermost loops. Returns the main one of them, or NULL.
static const struct loop *static_inner(const struct jit_instruction *code,
                                       const struct loop *loops, unsigned n, bool floats,
                                       struct features *f) {
  const struct loop *best = NULL;
  double vectors = 0, all = 0, stack = 0, most = -1;
  unsigned depth = 0;
  for (unsigned i = 0; i < n; i++) {
    depth = loops[i].depth > depth ? loops[i].depth : depth;
    if (!loops[i].innermost)
      continue;
    struct mix m = static_count(code, loops[i].first, loops[i].last);
    double done = static_work(code, &loops[i], floats);
    vectors += static_weight(&loops[i]) * m.vectors;
    all += static_weight(&loops[i]) * m.n;
    stack += m.stack;
    if (done > most) {
      best = &loops[i];
      most = done;
    }
  }
  f->values[FEATURE_LOOPS] = (float)n;
  f->values[FEATURE_DEPTH] = (float)depth;
  f->values[FEATURE_VECTOR_FRACTION] = all > 0 ? (float)(vectors / all) : 0;
  f->values[FEATURE_STACK] = (float)stack;
  return best;
}

static bool loops_compute(const struct jit_instruction *code, const struct loop *loops,
                          unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (loops[i].innermost &&
        static_count(code, loops[i].first, loops[i].last).floats > 0)
      return true;
  return false;
}

bool code_main_loop(const struct jit_instruction *code, size_t n, struct main_loop *out) {
  struct loop *loops = n ? sys_malloc(n * sizeof *loops) : NULL;
  unsigned *around = n ? sys_malloc(n * sizeof *around) : NULL;
  struct features unused;
  bool good = loops && around;
  if (good) {
    unsigned found = static_nest(loops, find_branches(code, n, loops), around);
    bool floats = loops_compute(code, loops, found);
    const struct loop *best = static_inner(code, loops, found, floats, &unused);
    *out = (struct main_loop){ .last = n - 1, .loops = found, .computes = floats };
    if (best)
      *out = (struct main_loop){ best->first, best->last, found, best->depth, floats };
  }
  free(loops);
  free(around);
  return good;
}

bool features_of_code(const struct jit_instruction *code, size_t n, struct features *f) {
  struct loop *loops = n ? sys_malloc(n * sizeof *loops) : NULL;
  unsigned *around = n ? sys_malloc(n * sizeof *around) : NULL;
  bool good = loops && around;
  if (good) {
    unsigned found = static_nest(loops, find_branches(code, n, loops), around);
    struct mix all = static_count(code, 0, n - 1);
    static_whole(&all, f);
    const struct loop *best =
        static_inner(code, loops, found, loops_compute(code, loops, found), f);
    struct mix m = best ? static_count(code, best->first, best->last) : all;
    main_loop(&m, f);
  }
  free(loops);
  free(around);
  return good;
}

static void static_ratios(double bytes, const struct autotune_machine *m, float *out) {
  double caches[] = { (double)m->l1d, (double)m->l2, (double)m->l3 };
  for (unsigned i = 0; i < 3; i++)
    out[i] = bytes > 0 && caches[i] > 0 ? (float)log2(bytes / caches[i]) : NAN;
}

void features_of_memory(double call, double tile, const struct autotune_machine *m,
                        struct features *f) {
  static_ratios(call, m, &f->values[FEATURE_CALL_L1]);
  static_ratios(tile, m, &f->values[FEATURE_TILE_L1]);
}

void features_add(struct features *f, const struct features *from) {
  for (unsigned i = 0; i < FEATURES; i++)
    if (!isnan(from->values[i]))
      f->values[i] = from->values[i];
}

static char *describe_device(const struct features *f) {
  double spilled = f->values[FEATURE_SPILLED];
  char kept[48] = "no spills";
  if (spilled > 0)
    snprintf(kept, sizeof kept, "%.0f bytes spilled", spilled);
  return sys_printf(
      "%.0f registers, %s, %.0f bytes shared, occupancy %.0f %%, %.3g wave%s, "
      "%.0f %% of the last empty",
      (double)f->values[FEATURE_REGISTERS], kept, (double)f->values[FEATURE_SHARED],
      100 * (double)f->values[FEATURE_OCCUPANCY], (double)f->values[FEATURE_WAVES],
      f->values[FEATURE_WAVES] == 1 ? "" : "s", 100 * (double)f->values[FEATURE_TAIL]);
}

char *features_describe(const struct features *f) {
  float bytes = f->values[FEATURE_BYTES], bits = f->values[FEATURE_MAIN_BITS];
  float spills = f->values[FEATURE_MAIN_SPILLS];
  char vectors[32] = "no vectors", kept[32] = "no spills";
  if (!(bytes >= 0))
    return f->values[FEATURE_REGISTERS] >= 0 ? describe_device(f) : NULL;
  if (bits > 0)
    snprintf(vectors, sizeof vectors, "%.0f-bit vectors", bits);
  if (spills > 0)
    snprintf(kept, sizeof kept, "%.0f spill%s", spills, spills > 1 ? "s" : "");
  return sys_printf("%.0f bytes, %s, %s", bytes, vectors, kept);
}
