// SPDX-License-Identifier: Apache-2.0
// check.c: `autotune check`: prints the meaning of a file's pragmas and their errors,
// also with the build's own arguments. Compiles CUDA kernels once where NVRTC is there.
// Writes no file but with --fix.
#include <string.h>

#include "cc/cc.h"
#include "autotune_abi.h"
#include "check.h"
#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "tools/common/command.h"

#define MAX_LISTED 12 // candidates of one param that are printed

static void print_value(const struct param *p, const struct value *v) {
  printf(p->kind == VALUE_FLAGS ? "\"%s\"" : "%s", v->text);
}

static void print_param(const struct kernel *k, const struct param *p, int width) {
  printf("    %-*s ", width, p->name);
  for (unsigned i = 0; i < p->n_values; i++) {
    if (i == MAX_LISTED - 2 && p->n_values > MAX_LISTED) {
      printf(", …");
      i = p->n_values - 1;
    }
    fputs(i ? ", " : "", stdout);
    print_value(p, &p->values[i]);
  }
  if (p->n_values > MAX_LISTED)
    printf(" (%u values)", p->n_values);
  if (p->original < p->n_values) {
    printf("; default ");
    print_value(p, &p->values[p->original]);
  }
  if (p->when >= 0)
    printf("; where %s is not %s", k->params[p->when].name,
           k->params[p->when].values[0].text);
  putchar('\n');
}

static void check_print_params(const struct kernel *k) {
  int width = 0;
  for (unsigned i = 0; i < k->n_params; i++)
    if ((int)strlen(k->params[i].name) > width)
      width = (int)strlen(k->params[i].name);
  puts("  parameters");
  for (unsigned i = 0; i < k->n_params; i++)
    print_param(k, &k->params[i], width);
}

static void check_print_variants(const struct kernel *k) {
  struct point_count c = points_count(k);
  const char *more = c.more ? "more than " : "";
  printf("  variants\n    %s%u", more, c.all);
  if (k->n_constraints)
    printf(", %s%u after constraints", c.more ? "of the first of which " : "", c.allowed);
  puts(c.depends ? ", fewer depending on the arguments and the machine" : "");
}

// Prints the rest of the key by default: arguments of which only the compiler knows
// whether they are integers, and what a launch adds.
static void print_late_key(const struct kernel *k) {
  const char *gap = k->n_keys ? ", " : "";
  for (unsigned i = 0; i < k->n_args; i++) {
    struct slice text = k->args[i].text;
    bool other = !k->language->device &&
        (memchr(text.data, '&', text.size) || memchr(text.data, '<', text.size));
    if (k->args[i].pointer || k->args[i].integer || k->args[i].real || other)
      continue;
    printf("%s%s where that is an integer", gap, k->args[i].name);
    gap = ", ";
  }
  if (k->language->device)
    printf("%sthe threads of the launch", gap);
  puts(*gap || k->language->device ? "" : "none: all calls are the same problem");
}

// Prints which calls may run variants.
static void print_conditions(const struct kernel *k) {
  for (unsigned i = 0; i < k->n_conditions; i++)
    printf("%s    %.*s\n", i ? "" : "  if\n", (int)k->conditions[i].size,
           k->conditions[i].data);
}

static void print_keys(const struct kernel *k) {
  fputs("  key\n    ", stdout);
  for (unsigned i = 0; i < k->n_keys; i++)
    printf("%s%.*s", i ? ", " : "", (int)k->keys[i].size, k->keys[i].data);
  if (k->language->late_keys && !k->key_given)
    print_late_key(k);
  else
    puts(k->n_keys ? "" : "none: all calls are the same problem");
}

// Prints what `constant` leaves of the key.
static void print_constants(const struct kernel *k) {
  const char *gap = "";
  if (!k->constants_given)
    return;
  fputs("  constants in variants\n    ", stdout);
  for (unsigned i = 0; i < k->n_keys; i++)
    if (constants_name(k, i)) {
      printf("%s%s", gap, constants_name(k, i));
      gap = ", ";
    }
  puts(*gap ? "" : "none");
}

// Says, once for each type, that its values are compared byte for byte.
static void print_unseen(const struct kernel *k) {
  struct names said = { 0 };
  for (unsigned i = 0; i <= k->n_sections; i++) {
    const struct leaves *v = i < k->n_sections ? k->sections[i].leaves : k->result_leaves;
    if (v && v->unseen && names_put(&said, slice_of(v->unseen)))
      printf("    values of type %s are compared byte for byte: "
             "its definition is not in sight\n",
             v->unseen);
    if (v && v->many && names_put(&said, slice_of(v->many)))
      printf("    values of type %s are compared byte for byte: it has more than %d "
             "fields\n",
             v->many, MAX_LEAVES);
  }
}

static void print_sections(const struct kernel *k) {
  bool output = false;
  if (k->n_sections || !k->returns || k->verify)
    puts("  data");
  if (k->inferred)
    puts("    no sections are declared; inferred from the subscripts:");
  for (unsigned i = 0; i < k->n_sections; i++) {
    printf("    %-5s %s\n", sections_access[k->sections[i].access], k->sections[i].name);
    output = output || (k->sections[i].access & AUTOTUNE_OUT);
  }
  print_unseen(k);
  if (k->language->device && !k->n_sections)
    puts("    no sections, so all memory that non-const pointers lead to is saved\n"
         "    and compared: in(…) and out(…) would say how much of it matters");
  else if (!k->n_sections && !k->returns)
    puts(
        "    no sections, so the memory that a call changes is compared where that can be\n"
        "    done, its types guessed: out(…) and inout(…) would say what it is");
  else if (!output && !k->returns)
    puts("    no outputs are declared, so variants are not verified: write out(…) or "
         "inout(…)");
  if (k->verify == AUTOTUNE_VERIFY_TOLERANCE && k->atol >= 0)
    printf("    verified with rtol %g, atol %g\n", k->rtol, k->atol);
  else if (k->verify == AUTOTUNE_VERIFY_TOLERANCE)
    printf("    verified with rtol %g\n", k->rtol);
  else if (k->verify)
    puts(k->verify == AUTOTUNE_VERIFY_OFF ? "    not verified" : "    verified exactly");
}

// Prints the compilers that were left out. The language's own runs no program.
static void print_not_run(const struct kernel *k, const char *const *run) {
  struct text names = { 0 };
  for (unsigned i = 0; i < k->n_compilers; i++)
    if (strcmp(k->compilers[i], k->language->compiler) != 0 &&
        !slice_in(slice_of(k->compilers[i]), run))
      text_printf(&names, "%s%s", names.size ? "," : "", k->compilers[i]);
  if (names.size)
    printf(
        "  not run\n    %s: only the source names them; --run %s checks with them too\n",
        names.data, names.data);
}

static void print_kernel(const struct source *s, const struct kernel *k,
                         const struct compile_options *o) {
  const char *path;
  unsigned line = source_where(s, k->main.name_at, &path, NULL);
  printf("%s:%u: kernel %s\n", path, line, k->main.name);
  for (unsigned i = 0; i < k->n_alternatives; i++) {
    line = source_where(s, k->alternatives[i].name_at, &path, NULL);
    printf("%s:%u:   alternative %s\n", path, line, k->alternatives[i].name);
  }
  if (k->n_params)
    check_print_params(k);
  print_not_run(k, o->run);
  check_print_variants(k);
  if (k->refused)
    puts("  not tuned: a warning says why");
  if (k->left_out)
    puts("  an #if leaves it out of this build");
  else
    print_keys(k);
  print_constants(k);
  print_conditions(k);
  print_sections(k);
  if (k->language->print)
    k->language->print(s, k);
}

// Returns false if the file at PATH has errors, which are diagnosed.
// QUIET: prints nothing.
static bool check_file(const char *path, char **args, const char *run, bool quiet) {
  unsigned before = diag_errors(), n;
  struct compile_options o;
  struct device_units units = { 0 };
  struct source *s = cc_read(path, args, &o);
  o.run = cc_run_only(run);
  o.units = cc_units_wanted() ? &units : NULL;
  const struct kernel *kernels = translate_kernels(s, &o, &n);
  unsigned errors = diag_errors() - before;
  if (errors == 0)
    cc_units_try(&units, o.args);
  for (unsigned i = 0; i < n && !quiet; i++)
    print_kernel(s, &kernels[i], &o);
  if (n == 0 && errors == 0 && !quiet)
    printf("%s: no kernels\n", path);
  if (errors && !quiet)
    fprintf(stderr, "%s: %u error%s\n", path, errors, errors == 1 ? "" : "s");
  return errors == 0;
}

struct check_given {
  const char *run;
  int colour;
  bool fix, json;
};

static const struct setting check_table[] = {
  SETTING_RUN(struct check_given, run),
  { "--fix", SETTING_SWITCH, NULL,
    "make the changes that are certain, such as misspelled words, in the\n"
    "files that are named; then check again",
    .at = offsetof(struct check_given, fix) },
  { "--json", SETTING_SWITCH, NULL, "what is wrong, as SARIF 2.1.0, and nothing else",
    .at = offsetof(struct check_given, json) },
  SETTING_COLOUR(struct check_given, colour),
  { .name = NULL },
};

static int check_run(const struct arguments *a) {
  const struct check_given *g = a->options;
  bool fine = true;
  if (g->fix && g->json) {
    fputs("autotune check: --fix and --json exclude each other\n", stderr);
    return command_misused(a->command);
  }
  diag_colour((enum diag_colour)g->colour);
  if (g->json)
    diag_silence();
  for (unsigned i = 0; i < a->n; i++)
    fine = check_file(a->words[i], a->rest, g->run, g->json) && fine;
  unsigned n;
  const struct diagnostic *all = diag_all(&n);
  if (g->json)
    fine = sarif_print(all, n, stdout) && fine;
  if (g->fix)
    fine = fix_apply(all, n, a->words) && fine;
  return fine ? 0 : 1;
}

const struct command command_check = {
  "check",
  "FILE… [--fix | --json] [--run NAMES] [--color WHEN] [-- ARGS…]",
  "list kernels and parameters, and what is wrong",
  .details =
      "  each file's kernels, their parameters, how many variants there are, and what "
      "is wrong\n",
  .options = check_table,
  .size = sizeof(struct check_given),
  .notes =
      "ARGS are those of the compiler in the build. Exits 1 where something is wrong.\n",
  .least = 1,
  .most = COMMAND_MANY,
  .rest = REST_AFTER_DASHES,
  .run = check_run,
};
