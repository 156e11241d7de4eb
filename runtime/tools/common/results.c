// SPDX-License-Identifier: Apache-2.0
// results.c: opens and reads results for commands, and names their keys and machines.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/key.h"
#include "clean.h"
#include "results.h"

// ---- opening ------------------------------------------------------------------------

void results_complain(void *data, const char *file, unsigned line, const char *what) {
  (void)data;
  if (line)
    fprintf(stderr, "%s:%u: error: %s\n", file, line, what);
  else
    fprintf(stderr, "%s: error: %s\n", file, what);
}

char *results_folder(const char *folder) {
  char *message = NULL, *path = folder ? sys_strdup(folder) : folder_default(&message);
  if (!path)
    fprintf(stderr, "autotune: %s\n", message ? message : "no memory");
  free(message);
  return path;
}

struct store *results_open(const char *folder, bool keep) {
  char *message = NULL, *path = results_folder(folder);
  if (path && keep) {
    char *given = folder_absolute(path);
    free(path);
    path = given ? folder_check(given, &message) : NULL;
    free(given);
  }
  struct store *s = path ? store_open_in(path, keep, &message) : NULL;
  if (!s && (path || message))
    fprintf(stderr, "autotune: %s\n", message ? message : "no memory");
  free(message);
  free(path);
  return s;
}

static int load_store(const char *folder, struct loaded *out) {
  struct store *s = results_open(folder, false);
  int status = s ? store_list(s, NULL, &out->listing) : -1;
  if (s && status != 0)
    fprintf(stderr, "%s: error: it could not be read to its end\n", folder);
  if (s)
    store_close(s);
  return status == 0 && wisdom_add_listing(&out->wisdom, &out->listing, NULL, 0) ? 0 : -1;
}

int results_load(const char *path, struct loaded *out) {
  static const char name[] = "results.db";
  struct stat st;
  size_t n = strlen(path), tail = strlen(name);
  *out = (struct loaded){ 0 };
  int status;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
    status = load_store(path, out);
  } else if (n >= tail && strcmp(path + n - tail, name) == 0) {
    char *folder = n > tail ? sys_printf("%.*s", (int)(n - tail - 1), path)
                            : sys_strdup(".");
    status = folder ? load_store(*folder ? folder : "/", out) : -1;
    free(folder);
  } else {
    status = wisdom_read(&out->wisdom, path, results_complain, NULL);
  }
  wisdom_sort(&out->wisdom);
  return status;
}

void results_unload(struct loaded *l) {
  wisdom_free(&l->wisdom);
  store_list_free(&l->listing);
}

int results_write(const struct wisdom *w, const char *path) {
  if (wisdom_write(w, path) == 0)
    return 0;
  fprintf(stderr, "%s: error: %s\n", path ? path : "standard output", strerror(errno));
  return 2;
}

// ---- names --------------------------------------------------------------------------

char *results_machine(const char *cpu) {
  int size;
  const char *name = problem_processor(cpu, &size);
  return sys_printf("%.*s", size, name);
}

bool results_is_here(const struct problem *p) {
  const struct machine *m = machine_identity();
  return strcmp(p->cpu, m->cpu) == 0 && strcmp(p->isa, m->isa) == 0;
}

char *results_key(const struct problem *p) {
  return key_describe(p->key, p->key_names);
}

char *results_name(const struct problem *p) {
  char *key = results_key(p), *name;
  name = sys_printf("%s%s%s", p->kernel, key && *key ? ", " : "", key ? key : "");
  char *clean = clean_text(name ? name : "?");
  free(key);
  free(name);
  return clean;
}

bool results_key_matches(const struct problem *p, const char *spec) {
  return key_matches(p->key, p->key_names, spec);
}

bool results_identity(const struct wisdom_entry *e, long long *key, const char **names,
                      char **block, struct identity *id) {
  const struct problem *p = &e->problem;
  char *name = *block = sys_strdup(p->key_names);
  unsigned n = key_read(p->key, key, MAX_KEYS);
  for (unsigned i = 0; n <= MAX_KEYS && i < n; i++)
    names[i] = name ? strsep(&name, "\n") : "";
  *id = (struct identity){ .unit = p->unit,
                           .kernel = p->kernel,
                           .file = p->file,
                           .cpu = p->cpu,
                           .isa = p->isa,
                           .threads = p->threads,
                           .key = key,
                           .n_keys = n,
                           .key_names = names,
                           .toolchain = p->toolchain,
                           .objective = p->objective };
  return *block && n <= MAX_KEYS;
}
