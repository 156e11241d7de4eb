// SPDX-License-Identifier: Apache-2.0
// assembly.c: keeps the main loops of the winner and of the default as text, so that
// `autotune report --asm` needs neither the program nor the compiler.
#include <stdlib.h>
#include <string.h>

#include "compile/assembly.h"
#include "model/constants.h"
#include "model/variant.h"
#include "tune.h"

// True if the translator has written LINE, of SIZE bytes, for a directive: it has a name
// such as autotune_q3.
static bool assembly_is_generated(const char *line, size_t size) {
  static const char prefix[] = "autotune_";
  const size_t n = sizeof prefix - 1;
  for (const char *end = line + size, *p = line;
       (p = memmem(p, (size_t)(end - p), prefix, n)); p += n)
    if (end - p > (ptrdiff_t)n + 1 && p[n] >= 'a' && p[n] <= 'z' && p[n + 1] >= '0' &&
        p[n + 1] <= '9')
      return true;
  return false;
}

// Returns TEXT in which what the translator has written counts as the line of the source
// that it stands for, although it takes more lines; malloc'ed; NULL: no memory.
static char *assembly_number(const char *text) {
  char *out = NULL;
  size_t size = 0;
  unsigned next = 0, source = 0; // numbers of the line that follows, and of its source
  FILE *f = open_memstream(&out, &size);
  for (bool goes_on = false; f && *text; next++) {
    size_t n = strcspn(text, "\n");
    bool generated = assembly_is_generated(text, n);
    if (sscanf(text, "#line %u", &source) == 1)
      next = source - 1;
    else if (generated && !goes_on && source && next != source)
      fprintf(f, "#line %u\n", next = source);
    else if (!generated && *text != '#' && strspn(text, " {}else") < n)
      source = next;
    fprintf(f, "%.*s\n", (int)n, text);
    goes_on = n && text[n - 1] == '\\';
    text += n + (text[n] == '\n');
  }
  if (f)
    fclose(f);
  return out;
}

// Compiles C once more, with the lines of its source. OUT->data NULL: it failed.
static void assembly_compile(const struct tuning *t, const struct candidate *c,
                             struct object *out) {
  const char *compiler = variant_compiler(t->kernel, c->point);
  const struct backend *backend = backend_find(compiler);
  char *plain = variant_text(t->kernel, c->point);
  char *lines = c->object.plain ? NULL
                                : constants_lines(t->kernel, t->id->key, t->constants);
  char *whole = plain ? sys_printf("%s%s", lines ? lines : "", plain) : NULL;
  char *text = whole ? assembly_number(whole) : NULL;
  char **flags = variant_flags(t->kernel, c->point);
  const char **more = NULL;
  size_t n = 0;
  while (flags && flags[n])
    n++;
  if (flags && (more = sys_calloc(n + 2, sizeof *more))) {
    memcpy(more, flags, n * sizeof *more);
    more[n] = "-g1";
  }
  if (backend && text && more && backend->compile(compiler, text, more, out) != 0)
    object_free(out);
  free(more);
  free(flags);
  free(plain);
  free(lines);
  free(whole);
  free(text);
}

static char *assembly_of_winner(struct tuning *t, const struct candidate *c, bool lines) {
  struct object o = { 0 };
  char *text;
  if (lines)
    assembly_compile(t, c, &o);
  t->summary.compile_seconds += o.seconds;
  if (!o.data && !c->object.data)
    return sys_strdup("cannot be shown: its object was not kept\n");
  text = o.data ? assembly_of_object(o.data, o.size, t->kernel->file)
                : assembly_of_object(c->object.data, c->object.size, t->kernel->file);
  object_free(&o);
  return text;
}

// The default's code is in the program. Without names there, its loop cannot be found,
// and that of the kernel as written is shown, if it was compiled.
static char *assembly_of_default(const struct tuning *t) {
  const struct autotune_kernel *k = t->kernel;
  char *text = assembly_of_function(k->original, k->file), *other = NULL, *both = NULL;
  if (!text || assembly_has_code(text) || !t->as_written.data)
    return text;
  other = assembly_of_object(t->as_written.data, t->as_written.size, k->file);
  if (assembly_has_code(other))
    both = sys_printf("as written, made by the compiler of the variants (the program's "
                      "own code %.*s): %s",
                      (int)strcspn(text, "\n"), text, other);
  free(other);
  if (both)
    free(text);
  return both ? both : text;
}

bool assembly_keep(struct tuning *t, int winner) {
  if (t->id->device != DEVICE_PROCESSOR || role_stopping())
    return false;
  tune_report(t, tune_silence(NULL));
  char *original = t->assembly[0] = assembly_of_default(t);
  tune_report(t, tune_silence(NULL));
  if (winner != NONE && !role_stopping())
    t->assembly[1] =
        assembly_of_winner(t, &t->candidates[winner], assembly_has_lines(original));
  t->summary.original_assembly = original ? original : "";
  t->summary.assembly = t->assembly[1] ? t->assembly[1] : "";
  return !role_stopping();
}
