// SPDX-License-Identifier: Apache-2.0
// assembly.c: the main loop of a function as text.
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assembly.h"
#include "compile.h"
#include "jit.h"
#include "static.h"

enum { MOST_INSTRUCTIONS = 400 }; // of a text

struct assembly {
  struct jit_instruction *code;
  struct jit_line *lines;
  size_t n;
  struct main_loop loop;
  unsigned *labels; // of each instruction, from 1; 0: no branch of the loop leads there
  const char *file; // of the kernel
};

// ---- text ---------------------------------------------------------------------------

static int assembly_compare(const void *address, const void *instruction) {
  const uint64_t *x = address;
  const struct jit_instruction *y = instruction;
  return (*x > y->address) - (*x < y->address);
}

// Returns the index of the loop's instruction at ADDRESS; a->n: there is none. Addresses
// ascend.
static size_t assembly_index(const struct assembly *a, uint64_t address) {
  const struct jit_instruction *first = a->code + a->loop.first;
  const struct jit_instruction *i = bsearch(
      &address, first, a->loop.last - a->loop.first + 1, sizeof *first, assembly_compare);
  return i ? (size_t)(i - a->code) : a->n;
}

// Numbers the instructions of the loop that its branches lead to. False: no memory.
static bool assembly_number(struct assembly *a) {
  unsigned n = 0;
  a->labels = sys_calloc(a->n + 1, sizeof *a->labels);
  if (!a->labels)
    return false;
  for (size_t i = a->loop.first; i <= a->loop.last && a->loop.depth; i++)
    if (a->code[i].target != JIT_NOWHERE)
      a->labels[assembly_index(a, a->code[i].target)] = 1;
  for (size_t i = a->loop.first; i <= a->loop.last; i++)
    if (a->labels[i])
      a->labels[i] = ++n;
  return true;
}

// Prints the target of the branch BRANCH in place of its operands.
static void assembly_print_target(const struct assembly *a,
                                  const struct jit_instruction *branch, FILE *out) {
  size_t i = assembly_index(a, branch->target);
  if (i < a->n)
    fprintf(out, "L%u", a->labels[i]);
  else
    fputs("out of the loop", out);
}

static void assembly_print_line(const struct assembly *a, size_t index, FILE *out) {
  const struct jit_instruction *i = &a->code[index];
  const struct jit_line *l = &a->lines[index];
  const char *operands = strchr(l->text, '\t');
  int mnemonic = operands ? (int)(operands - l->text) : (int)strlen(l->text);
  bool ours = strcmp(sys_file_name(l->file), sys_file_name(a->file)) == 0;
  unsigned label = a->labels[index];
  if (label)
    fprintf(out, "\tL%u:\n", label);
  if (ours && l->line)
    fprintf(out, "%u", l->line);
  fprintf(out, "\t%.*s%*s", mnemonic, l->text,
          !operands           ? 0
              : mnemonic < 12 ? 13 - mnemonic
                              : 1,
          "");
  if (i->flags & JIT_BRANCH && i->target != JIT_NOWHERE && a->loop.depth)
    assembly_print_target(a, i, out);
  else
    fputs(operands ? operands + 1 : "", out);
  fputc('\n', out);
}

// Prints how the loop was chosen, and what is in it.
static void assembly_print_choice(const struct assembly *a, FILE *out) {
  const struct main_loop *l = &a->loop;
  const char *most = l->computes ? "most arithmetic" : "most instructions";
  struct features f;
  features_clear(&f);
  features_of_code(a->code, a->n, &f);
  char *what = features_describe(&f), *rest = what ? strchr(what, ',') : NULL;
  if (l->depth && l->loops == 1)
    fputs("its only loop: ", out);
  else if (l->depth)
    fprintf(out, "of its %u loops the innermost one with the %s, at depth %u: ", l->loops,
            most, l->depth);
  else
    fputs("no loop, so all code: ", out);
  fprintf(out, "%zu of %zu instructions%s\n", l->last - l->first + 1, a->n,
          rest ? rest : "");
  free(what);
}

static char *assembly_print(const struct assembly *a) {
  char *text = NULL;
  size_t size = 0, most = a->loop.first + MOST_INSTRUCTIONS;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  assembly_print_choice(a, out);
  for (size_t i = a->loop.first; i <= a->loop.last && i < most; i++)
    assembly_print_line(a, i, out);
  if (a->loop.last >= most)
    fprintf(out, "\t… and %zu more\n", a->loop.last + 1 - most);
  fclose(out);
  return text;
}

// ---- code ---------------------------------------------------------------------------

// As assembly_of_object, for the function at ADDRESS of an image, or all.
static char *assembly_of(const void *image, size_t size, uint64_t address,
                         const char *file) {
  struct assembly a = { .file = file };
  char *message = NULL, *text = NULL;
  const struct jit_api *jit = jit_open(&message);
  if (jit && jit->list(image, size, address, &a.code, &a.lines, &a.n, &message) == 0 &&
      code_main_loop(a.code, a.n, &a.loop) && assembly_number(&a))
    text = assembly_print(&a);
  if (!text)
    text = sys_printf("cannot be shown: %s\n", message ? message : "no memory");
  free(a.code);
  free(a.lines);
  free(a.labels);
  free(message);
  return text;
}

char *assembly_of_object(const void *object, size_t size, const char *file) {
  return assembly_of(object, size, JIT_NOWHERE, file);
}

struct assembly_place {
  uintptr_t function;
  uint64_t address; // in the file
  char *path;       // NULL: no file has the function
};

static int assembly_find(struct dl_phdr_info *info, size_t size, void *data) {
  struct assembly_place *place = data;
  (void)size;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD || place->function < begin ||
        place->function - begin >= p->p_memsz)
      continue;
    place->address = place->function - info->dlpi_addr;
    place->path = sys_strdup(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
    return 1;
  }
  return 0;
}

char *assembly_of_function(autotune_fn function, const char *file) {
  struct assembly_place place = { .function = (uintptr_t)function };
  struct stat st;
  char *text = NULL;
  dl_iterate_phdr(assembly_find, &place);
  int fd = place.path ? sys_open(place.path, O_RDONLY, 0) : -1;
  void *image = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0
      ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
      : MAP_FAILED;
  if (fd >= 0)
    close(fd);
  if (image == MAP_FAILED)
    text = sys_strdup("cannot be shown: the program's file cannot be read\n");
  else
    text = assembly_of(image, (size_t)st.st_size, place.address, file);
  if (image != MAP_FAILED)
    munmap(image, (size_t)st.st_size);
  free(place.path);
  return text;
}

bool assembly_has_code(const char *text) {
  const char *end = text ? strchr(text, '\n') : NULL;
  return end && end[1];
}

bool assembly_has_lines(const char *text) {
  for (const char *p = text ? strchr(text, '\n') : NULL; p; p = strchr(p + 1, '\n'))
    if (p[1] >= '1' && p[1] <= '9')
      return true;
  return false;
}
