// SPDX-License-Identifier: Apache-2.0
// record.c: the table of the facts that are kept and shown; one line for each.
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 4096, TEXT = 1 << 16, LONG = 8 << 20, KEY_BYTES = 4096 };
enum { MOST_THREADS = 1 << 20, MOST_RUNS = 1 << 30 };

const struct status_words status_words[STATUSES] = {
  [STATUS_OK] = { "right", "right", "correct" },
  [STATUS_COMPILE] = { "compile", "did not compile", "compile" },
  [STATUS_LOAD] = { "load", "did not load", "compile" },
  [STATUS_WRONG] = { "wrong", "wrong", "correctness" },
  [STATUS_CRASH] = { "crash", "crashed", "runtime" },
  [STATUS_TIMEOUT] = { "timeout", "timed out", "timeout" },
  [STATUS_EXIT] = { "exit", "exited", "runtime" },
  [STATUS_PENDING] = { "pending", "took the tuner down", NULL },
  [STATUS_DROPPED] = { "dropped", "not run", NULL },
};

const char *const revoked_words[REVOCATIONS] = {
  [REVOKED_NOT] = "was right",
  [REVOKED_WRONG] = "gave other results than the default",
  [REVOKED_ENDED] = "ended its process",
  [REVOKED_IN_DOUBT] = "ended a process or was ended with it, and is checked first",
};

const struct refusal_words refusal_words[REFUSALS] = {
  [REFUSED_NOT] = { "", false, false },
  [REFUSED_OFF] = { "default: tuning is off", false, false },
  [REFUSED_LOCKED] = { "default: locked, and nothing is known for this key", true, true },
  [REFUSED_OFFLINE] = { "default: nothing is known for this key; this mode leaves tuning "
                        "to `autotune tune`",
                        false, true },
  [REFUSED_PARAMS] = { "default: the kernel has no parameters, or too many", true, true },
  [REFUSED_LACKS] = { "default", false, true },
  [REFUSED_REGION] = { "default: called inside a parallel region of gcc's OpenMP runtime, while "
                       "variants use LLVM's",
                       true, true },
  [REFUSED_TEAM] = { "default: it shares its work with the other threads of the parallel "
                     "region that it is called in",
                     true, true },
  [REFUSED_FAILED] = { "default", true, true },
  [REFUSED_THREAD] = { "default: a kernel is being tuned in another thread", true,
                       false },
  [REFUSED_BACKGROUND] = { "default for now: another kernel is being tuned in the "
                           "background",
                           false, false },
  [REFUSED_FRACTION] = { "default for now: its share of the time is not enough yet to "
                         "tune",
                         false, false },
  [REFUSED_KEYS] = { "default", false, false },
  [REFUSED_MEMORY] = { "default for now: no memory for a stack", true, false },
  [REFUSED_COLD] = { "default for now: too little of the program's time is spent in it to "
                     "tune it",
                     false, false },
  [REFUSED_UNCHECKED] = { "default: what it changes cannot all be compared, and --auto "
                          "runs no variant unchecked",
                          false, true },
  [REFUSED_ENDED] = { "default: the program ended before the tuning that ran beside it; "
                      "the next run goes on with what was tried",
                      true, false },
  [REFUSED_OVERLAP] = { "default: its calls write to memory that they also have by another "
                        "name, and variants assume that they do not",
                        false, false },
  [REFUSED_VAIN] = { "default", false, false },
  [REFUSED_RECORDED] = { "default: launched into a graph before it was tuned, and the graph "
                         "keeps the default; launch it once before that",
                         true, true },
};

#define COLUMN(name, version) .column = name, .since = version
#define AN_ESTIMATE(member, name, ...)                                   \
  { FACT_ESTIMATE, AT(member), COLUMN(name "_median", 1), __VA_ARGS__ }, \
      { FACT_LOW, AT(member), COLUMN(name "_low", 1) },                  \
      { FACT_HIGH, AT(member), COLUMN(name "_high", 1) }, {              \
    FACT_RUNS, AT(member), COLUMN(name "_n", 1), .most = MOST_RUNS       \
  }

#define AT(member) offsetof(struct problem, member)
static const struct fact problem_facts[] = {
  { FACT_ID, AT(id), COLUMN("id", 1) },
  { FACT_TEXT, AT(kernel), COLUMN("kernel", 1), .most = NAME, .json = "kernel",
    .wisdom = "kernel", .always = true },
  { FACT_FILE, AT(file), COLUMN("file", 1), .most = NAME, .json = "file",
    .wisdom = "file", .always = true },
  { FACT_HASH, AT(unit), COLUMN("unit", 1), .wisdom = "unit" },
  { FACT_TEXT, AT(cpu), COLUMN("cpu", 1), .most = NAME, .json = "cpu", .wisdom = "cpu",
    .always = true },
  { FACT_TEXT, AT(isa), COLUMN("isa", 1), .most = NAME, .json = "isa", .wisdom = "isa",
    .always = true },
  { FACT_COUNT, AT(threads), COLUMN("threads", 1), .most = MOST_THREADS,
    .json = "threads", .wisdom = "threads", .always = true },
  { FACT_KEY, AT(key), AT(key_names), COLUMN("key", 1), .most = KEY_BYTES, .json = "key",
    .wisdom = "key", .always = true },
  { FACT_TEXT, AT(key_names), COLUMN("key_names", 1), .most = KEY_BYTES },
  { FACT_HASH, AT(shape), COLUMN("shape", 2) },
  { FACT_TEXT, AT(family), COLUMN("family", 2), .most = NAME },
  { FACT_ENUM, AT(device), COLUMN("device", 4), .most = DEVICES - 1 },
  { FACT_OBJECTIVE, AT(objective), COLUMN("objective", 6), .most = OBJECTIVES - 1,
    .json = "objective", .wisdom = "objective" },
  // The compiler of its tuning; its column is in that table.
  { FACT_TEXT, AT(toolchain), .most = NAME, .json = "toolchain", .wisdom = "toolchain" },
};
#undef AT

#define AT(member) offsetof(struct record, member)
static const struct fact record_facts[] = {
  { FACT_ID, AT(problem), COLUMN("problem", 1) },
  { FACT_HASH, AT(variant), COLUMN("variant", 1) },
  { FACT_VALUES, AT(values), COLUMN("vals", 1), .most = TEXT, .json = "parameters",
    .page = "parameters", .always = true },
  { FACT_TEXT, AT(compiler), COLUMN("compiler", 1), .most = NAME, .json = "compiler",
    .page = "compiler", .always = true },
  { FACT_ENUM, AT(status), COLUMN("fate", 1), .most = STATUSES - 1, .json = "fate",
    .page = "fate", .always = true },
  { FACT_LINES, AT(message), COLUMN("message", 1), .most = TEXT, .json = "message",
    .page = "message", .always = true },
  { FACT_SAMPLES, AT(samples), AT(n_samples), COLUMN("samples", 1), .most = LONG,
    .json = "samples", .always = true },
  { FACT_SECONDS, AT(compile_seconds), COLUMN("compile_seconds", 1),
    .page = "compiling" },
  { FACT_SECONDS, AT(verify_seconds), COLUMN("verify_seconds", 1), .page = "verifying" },
  { FACT_SECONDS, AT(time_seconds), COLUMN("time_seconds", 1), .page = "timing" },
  { FACT_MOMENT, AT(when), COLUMN("at", 1), .page = "when" },
  { FACT_FEATURES, AT(features), AT(features_size), COLUMN("features", 2), .most = 512,
    .json = "features", .always = true },
  { FACT_ENUM, AT(maker), COLUMN("maker", 4), .most = MAKERS - 1 },
  { FACT_HASH, AT(contract), COLUMN("contract", 5) },
  { FACT_AMOUNT, AT(slowdown), COLUMN("slowdown", 14), .json = "slowdown",
    .page = "slowdown" },
  { FACT_AMOUNT, AT(part), COLUMN("part", 16), .json = "part", .page = "part" },
};
#undef AT

#define AT(member) offsetof(struct summary, member)
static const struct fact summary_facts[] = {
  { FACT_ID, AT(problem), COLUMN("problem", 1) },
  { FACT_TEXT, AT(toolchain), COLUMN("toolchain", 1), .most = NAME },
  { FACT_HASH, AT(winner), COLUMN("variant", 1) },
  { FACT_VALUES, AT(values), COLUMN("vals", 1), .most = TEXT, .json = "winner",
    .wisdom = "values" },
  { FACT_TEXT, AT(compiler), COLUMN("compiler", 1), .most = NAME, .json = "compiler",
    .wisdom = "compiler" },
  { FACT_HASH, AT(object), COLUMN("object", 1) },
  AN_ESTIMATE(original, "original", .json = "default", .wisdom = "default"),
  AN_ESTIMATE(best, "best", .json = "best", .wisdom = "best"),
  { FACT_COUNT, AT(tried), COLUMN("tried", 1), .most = UINT32_MAX, .wisdom = "tried" },
  { FACT_COUNTS, AT(failed), COLUMN("failed", 1), .most = 64 },
  { FACT_COUNT, AT(total_hint), COLUMN("total_hint", 1), .most = UINT32_MAX,
    .json = "variants.exist", .always = true },
  { FACT_SECONDS, AT(compile_seconds), COLUMN("compile_seconds", 1),
    .json = "seconds.compiling", .always = true },
  { FACT_SECONDS, AT(verify_seconds), COLUMN("verify_seconds", 1),
    .json = "seconds.verifying", .always = true },
  { FACT_SECONDS, AT(time_seconds), COLUMN("time_seconds", 1), .json = "seconds.timing",
    .always = true },
  { FACT_SECONDS, AT(total_seconds), COLUMN("total_seconds", 1), .json = "seconds.total",
    .always = true },
  { FACT_AMOUNT, AT(flops), COLUMN("flops", 1), .json = "flops" },
  { FACT_AMOUNT, AT(bytes), COLUMN("bytes", 1), .json = "bytes" },
  { FACT_VERIFIED, AT(verified), COLUMN("verified", 1), .most = 2, .json = "verified",
    .wisdom = "verified", .always = true },
  { FACT_TEXT, AT(search), COLUMN("search", 1), .most = NAME, .json = "search",
    .wisdom = "search", .always = true },
  { FACT_TEXT, AT(why), COLUMN("why", 1), .most = TEXT, .json = "stopped",
    .always = true },
  { FACT_MOMENT, AT(when), COLUMN("at", 1), .json = "when", .wisdom = "when",
    .always = true },
  { FACT_HASH, AT(space), COLUMN("space", 2), .wisdom = "space" },
  { FACT_HASH, AT(text), COLUMN("text", 2), .wisdom = "text" },
  { FACT_TEXT, AT(machine), COLUMN("machine", 2), .most = NAME, .json = "machine",
    .wisdom = "machine" },
  { FACT_TEXT, AT(source), COLUMN("source", 2), .most = NAME, .json = "source" },
  { FACT_COUNT, AT(same), COLUMN("same", 2), .most = UINT32_MAX, .json = "variants.same",
    .always = true },
  { FACT_ENUM, AT(origin), COLUMN("origin", 4), .most = ORIGINS - 1 },
  { FACT_ENUM, AT(ended), COLUMN("ended", 4), .most = ENDINGS - 1 },
  { FACT_HASH, AT(contract), COLUMN("contract", 5) },
  { FACT_COUNT, AT(made_up), COLUMN("made_up", 7), .most = 64, .json = "made_up" },
  { FACT_TEXT, AT(weak), COLUMN("weak", 7), .most = NAME, .json = "weak" },
  { FACT_TEXT, AT(covered), COLUMN("covered", 7), .most = TEXT, .json = "covered" },
  { FACT_TEXT, AT(deviation), COLUMN("deviation", 7), .most = NAME, .json = "deviation" },
  { FACT_COUNT, AT(line), COLUMN("line", 8), .most = UINT32_MAX, .json = "line" },
  { FACT_SECONDS, AT(as_written), COLUMN("as_written", 10), .json = "as_written" },
  { FACT_TEXT, AT(strict), COLUMN("strict", 11), .most = TEXT, .json = "strict" },
  { FACT_SECONDS, AT(cold), COLUMN("cold", 12), .json = "page_faults" },
  { FACT_COUNT, AT(own.pairs), COLUMN("own_pairs", 13), .most = UINT32_MAX,
    .json = "own_calls.pairs" },
  { FACT_COUNT, AT(own.slower), COLUMN("own_slower", 13), .most = UINT32_MAX,
    .json = "own_calls.slower", .always = true },
  { FACT_SECONDS, AT(own.original), COLUMN("own_original", 13),
    .json = "own_calls.default" },
  { FACT_SECONDS, AT(own.winner), COLUMN("own_winner", 13), .json = "own_calls.winner" },
  { FACT_SECONDS, AT(own.longest_original), COLUMN("own_longest_original", 13),
    .json = "own_calls.longest_default" },
  { FACT_SECONDS, AT(own.longest_winner), COLUMN("own_longest_winner", 13),
    .json = "own_calls.longest_winner" },
  { FACT_LINES, AT(assembly), COLUMN("assembly", 15), .most = TEXT,
    .json = "assembly.winner" },
  { FACT_LINES, AT(original_assembly), COLUMN("default_assembly", 15), .most = TEXT,
    .json = "assembly.default" },
  { FACT_TEXT, AT(commit), COLUMN("revision", 16), .most = 64, .json = "commit" },
  { FACT_LINES, AT(body), COLUMN("body", 17), .most = TEXT, .json = "body" },
  { FACT_TEXT, AT(constants), COLUMN("constants", 18), .most = TEXT,
    .json = "constants" },
  { FACT_HASH, AT(extent), COLUMN("extent", 19), .wisdom = "extent" },
};
#undef AT

#define AT(member) offsetof(struct asked, member)
static const struct fact asked_facts[] = {
  { FACT_ID, AT(problem), COLUMN("problem", 2) },
  { FACT_TEXT, AT(toolchain), COLUMN("toolchain", 2), .most = NAME },
  { FACT_HASH, AT(space), COLUMN("space", 2) },
  { FACT_TEXT, AT(params), COLUMN("params", 2), .most = LONG },
  { FACT_TEXT, AT(conditions), COLUMN("conditions", 2), .most = TEXT },
  { FACT_TEXT, AT(why), COLUMN("why", 2), .most = TEXT },
  { FACT_MOMENT, AT(when), COLUMN("at", 2) },
  { FACT_ENUM, AT(refused), COLUMN("refused", 8), .most = REFUSALS - 1 },
  { FACT_AMOUNT, AT(usage.calls), COLUMN("calls", 9) },
  { FACT_SECONDS, AT(usage.seconds), COLUMN("took", 9) },
  { FACT_AMOUNT, AT(usage.share), COLUMN("share", 9) },
};
#undef AT

#define AT(member) offsetof(struct progress, member)
static const struct fact progress_facts[] = {
  { FACT_ID, AT(problem), COLUMN("problem", 3) },
  { FACT_ENUM, AT(phase), COLUMN("phase", 3), .most = PHASES - 1 },
  { FACT_TEXT, AT(owner), COLUMN("owner", 3), .most = NAME },
  { FACT_MOMENT, AT(began), COLUMN("began", 3) },
  { FACT_MOMENT, AT(until), COLUMN("until", 3) },
  { FACT_COUNT, AT(expected), COLUMN("expected", 3), .most = UINT32_MAX },
  { FACT_SECONDS, AT(original), COLUMN("original", 3) },
  { FACT_TEXT, AT(why), COLUMN("why", 3), .most = TEXT },
  { FACT_MOMENT, AT(when), COLUMN("at", 3) },
};
#undef AT

#define AT(member) offsetof(struct service, member)
static const struct fact service_facts[] = {
  { FACT_ID, AT(problem), COLUMN("problem", 7) },
  { FACT_HASH, AT(variant), COLUMN("variant", 7) },
  { FACT_VALUES, AT(values), COLUMN("vals", 7), .most = TEXT },
  { FACT_HASH, AT(contract), COLUMN("contract", 7) },
  { FACT_MOMENT, AT(seen), COLUMN("seen", 7) },
  { FACT_COUNT, AT(looks), COLUMN("looks", 7), .most = UINT32_MAX },
  { FACT_COUNT, AT(ended), COLUMN("ended", 7), .most = UINT32_MAX },
  { FACT_ENUM, AT(revoked), COLUMN("revoked", 7), .most = REVOCATIONS - 1 },
  { FACT_TEXT, AT(why), COLUMN("why", 7), .most = TEXT },
  { FACT_MOMENT, AT(when), COLUMN("at", 7) },
};
#undef AT

#define COUNT(list) (sizeof list / sizeof *list)
#define KIND(what, table, keys, derived)                           \
  const struct kind kind_##what = { table,                         \
                                    COUNT(what##_facts) - derived, \
                                    keys,                          \
                                    COUNT(what##_facts),           \
                                    sizeof(struct what),           \
                                    what##_facts }
KIND(problem, "problem", 1, 1);
KIND(record, "variant", 2, 0);
KIND(summary, "winner", 1, 0);
KIND(asked, "asked", 1, 0);
KIND(progress, "course", 1, 0);
KIND(service, "service", 2, 0);
const struct kind *const kinds[KINDS] = { &kind_problem, &kind_record,   &kind_summary,
                                          &kind_asked,   &kind_progress, &kind_service };

// ---- facts of any struct ------------------------------------------------------------

bool fact_is_text(const struct fact *f) {
  return f->type >= FACT_TEXT && f->type <= FACT_KEY;
}

// Returns the number of bytes that F's member points to; 0 if it is no pointer.
static size_t record_bytes(const struct fact *f, const void *what) {
  const char *text = fact_is_text(f) ? *FACT_IN(const char *, f, what) : NULL;
  return text                    ? strlen(text)
      : f->type == FACT_SAMPLES  ? *FACT_N(unsigned, f, what) * sizeof(double)
      : f->type == FACT_FEATURES ? *FACT_N(size_t, f, what)
                                 : 0;
}

void *record_own(const struct kind *k, void *what) {
  size_t size = 1;
  for (unsigned i = 0; i < k->n_facts; i++)
    size += record_bytes(&k->facts[i], what) + 1 + sizeof(double);
  char *block = sys_malloc(size), *p = block;
  for (unsigned i = 0; block && i < k->n_facts; i++) {
    const struct fact *f = &k->facts[i];
    if (!fact_is_text(f) && f->type != FACT_SAMPLES && f->type != FACT_FEATURES)
      continue;
    const char **from = FACT_IN(const char *, f, what);
    size_t n = record_bytes(f, what);
    p += (sizeof(double) - (size_t)(p - block) % sizeof(double)) % sizeof(double);
    memcpy(p, n ? *from : "", n);
    p[n] = '\0';
    *from = p;
    p += n + 1;
  }
  return block;
}

struct estimate record_cost(const struct record *r) {
  return stats_scaled(record_shown(r), r->slowdown > 0 ? 1 / r->slowdown : 1);
}

struct estimate record_shown(const struct record *r) {
  return stats_scaled(stats_of(r->samples, r->n_samples), r->part > 0 ? 1 / r->part : 1);
}

void record_features(const struct record *r, struct features *out) {
  size_t size = r->features ? r->features_size : 0;
  for (unsigned i = 0; i < MAX_FEATURES; i++)
    out->values[i] = NAN;
  memcpy(out, size ? r->features : "", size < sizeof *out ? size : sizeof *out);
}

struct estimate estimate_closed(struct estimate e) {
  if (!(isfinite(e.low) && e.low <= e.median))
    e.low = e.median;
  if (!(isfinite(e.high) && e.high >= e.median))
    e.high = e.median;
  return e;
}

// ---- numbers found from texts -------------------------------------------------------

static bool record_begins(const char *text, const char *with) {
  return text && strncmp(text, with, strlen(with)) == 0;
}

static void complete_problem(struct problem *p) {
  if (p->device == DEVICE_UNKNOWN)
    p->device = !record_begins(p->isa, "sm_") ? DEVICE_PROCESSOR
        : record_begins(p->cpu, "emulated ")  ? DEVICE_EMULATED
                                              : DEVICE_CUDA;
}

static void complete_record(struct record *r) {
  bool built_in = record_begins(r->compiler, "clang ") ||
      record_begins(r->compiler, "nvrtc ");
  if (r->maker == MAKER_UNKNOWN)
    r->maker = built_in ? MAKER_BUILT_IN : MAKER_PROGRAM;
}

static void complete_summary(struct summary *m) {
  if (m->origin == ORIGIN_UNKNOWN)
    m->origin = record_begins(m->source, "borrowed from ") ? ORIGIN_PROVISIONAL
        : m->source && *m->source                          ? ORIGIN_WISDOM
                                                           : ORIGIN_HERE;
  if (m->ended == ENDED_UNKNOWN && record_begins(m->why, "raced again"))
    m->ended = ENDED_RACED;
}

void record_complete(const struct kind *k, void *what) {
  if (k == &kind_problem)
    complete_problem(what);
  else if (k == &kind_record)
    complete_record(what);
  else if (k == &kind_summary)
    complete_summary(what);
}

bool summary_is_provisional(const struct summary *m) {
  return m->origin == ORIGIN_PROVISIONAL;
}

bool summary_is_cold(const struct summary *m) {
  return m->cold > 0 && m->cold >= m->best.median / 10;
}

bool summary_is_borrowed(const struct summary *m) {
  return m->origin == ORIGIN_PROVISIONAL || m->origin == ORIGIN_AGREED;
}

void summary_agree(struct summary *m) {
  *m = (struct summary){ .toolchain = m->toolchain,
                         .winner = m->winner,
                         .values = m->values,
                         .compiler = m->compiler,
                         .verified = m->verified,
                         .inferred = m->inferred,
                         .space = m->space,
                         .text = m->text,
                         .machine = m->machine,
                         .search = "",
                         .why = "",
                         .source = "",
                         .object = m->object,
                         .origin = ORIGIN_AGREED,
                         .contract = m->contract,
                         .block = m->block };
}

const char *summary_borrowed_until(const struct summary *m) {
  return summary_is_provisional(m) ? " until it is tuned"
      : m->verified                ? "; compared with the default"
                                   : "; there are no outputs to compare";
}

const char *problem_processor(const char *cpu, int *size) {
  const char *brand = strchr(cpu, ' '), *end = strstr(cpu, " family ");
  bool known = brand && end && brand < end;
  *size = known ? (int)(end - brand - 1) : (int)strlen(cpu);
  return known ? brand + 1 : cpu;
}
