/* SPDX-License-Identifier: Apache-2.0 */
/* template.h: writes text from templates; fields of C structures fill their holes.
 *
 * A template is a file of parts. A line `=== name` begins a part; the text before the
 * first part is a comment.
 *
 *   ${name}           the text of a field; nothing for NULL
 *   ${name|filter}    the same through a filter: `string` writes a string literal, or 0
 *                     for NULL; the caller has the other filters
 *   ${#list} ${/list} around text that is written for each element. The element's fields
 *                     hide those outside
 *   ${@}              the element's index, from 0
 *   ${?name} ${else} ${/name}
 *                     around text that is written if the field is a text, a number other
 *                     than 0 or a list with elements; after `else`: if it is not
 *   ${>part}          another part
 *
 * A line with nothing but one of `#`, `?`, `else`, `/` writes nothing. A line with
 * nothing but a name or a part writes the lines of its text, or nothing. Within a line
 * the last newline of a part is left out. */
#ifndef AUTOTUNE_TEMPLATE_H
#define AUTOTUNE_TEMPLATE_H

#include "front/front.h"

struct template_scope;

/* Appends the text of a field of SCOPE's data. */
typedef void template_write(const struct template_scope *scope, struct text *out);

enum template_kind {
  FIELD_STRING,   /* const char * */
  FIELD_SLICE,    /* struct slice, struct text */
  FIELD_UNSIGNED, /* unsigned */
  FIELD_INT,      /* int */
  FIELD_LONG,     /* long long, as a constant of that type */
  FIELD_REAL,     /* double, in digits that every C compiler reads back exactly */
  FIELD_BOOL,     /* bool: 1 or 0 */
  FIELD_LIST,     /* elements in an array, and their number in an unsigned */
  FIELD_WRITE     /* computed */
};
struct template_field {
  const char *name; /* NULL: the end of a list of fields */
  enum template_kind kind;
  size_t offset;
  /* FIELD_LIST */
  size_t count, size; /* offset of the number of elements; bytes of one */
  const struct template_field *fields;
  template_write *write; /* FIELD_WRITE */
};

#define TEMPLATE_FIELD(type, what, field) \
  { .name = #field, .kind = FIELD_##what, .offset = offsetof(type, field) }
#define TEMPLATE_LIST(type, called, list, n, of) \
  { .name = called,                              \
    .kind = FIELD_LIST,                          \
    .offset = offsetof(type, list),              \
    .count = offsetof(type, n),                  \
    .size = sizeof *((type *)0)->list,           \
    .fields = of }
#define TEMPLATE_WRITE(called, function) \
  { .name = called, .kind = FIELD_WRITE, .write = function }
/* The element itself, in a list of strings or slices. */
#define TEMPLATE_SELF(called, what) { .name = called, .kind = FIELD_##what }
#define TEMPLATE_END { .name = NULL }

/* The structures in which names are looked up, the innermost first. */
struct template_scope {
  const struct template_field *fields;
  const void *data;
  unsigned index; /* of the element */
  const struct template_scope *outer;
};

struct template_filter {
  const char *name;
  void (*write)(const struct template_scope *scope, struct slice text, struct text *out);
};

/* Puts the file at PATH, below translator/, into the program as the string NAME. */
#define TEMPLATE_FILE(name, path)                                               \
  extern const char name[] __attribute__((visibility("hidden")));               \
  __asm__(".section .rodata\n.globl " #name "\n.hidden " #name "\n" #name ":\n" \
          ".incbin \"" AUTOTUNE_TRANSLATOR "/" path "\"\n.byte 0\n.previous\n")

/* A language's templates: FILES in order of precedence. A part of an earlier file hides
 * parts of the same name in later files. Both lists end with NULL. */
struct template {
  const char *const *files;
  const struct template_filter *filters;
};

/* Appends PART of T, filled in from SCOPE. An unknown name is a defect of ours: fatal. */
void template_render(const struct template *t, const char *part,
                     const struct template_scope *scope, struct text *out);

/* Calls SEEN for every word of T's parts outside string literals and comments. A hole
 * ends a word: of `n_${x}_y` SEEN gets `n_` and `_y`. */
void template_words(const struct template *t, void (*seen)(void *, struct slice),
                    void *data);

#endif
