// SPDX-License-Identifier: Apache-2.0
// heading.c: writes the comment at the top of a baked file, which says which winners
// apply when, and macros that suppress warnings about generated text.
#include <string.h>

#include "bake.h"

void bake_comment(struct text *out, const char *s) {
  for (char last = 0; *s; last = *s++)
    if (last == '*' && *s == '/')
      text_add(out, "|", 1);
    else
      text_add(out, *s == '\n' || *s == '\r' ? " " : s, 1);
}

void bake_wrapped(struct text *out, const char *indent, size_t column, const char *s) {
  for (bool first = true; *s; first = false) {
    size_t n = strcspn(s, " ");
    if (!first && column + 1 + n > 100) {
      text_printf(out, "\n%s", indent);
      column = strlen(indent);
    } else if (!first) {
      text_printf(out, " ");
      column++;
    }
    bake_comment(out, arena_copy(s, n));
    column += n;
    s += n + (s[n] == ' ');
  }
}

// ---- fields of the template ---------------------------------------------------------

// Texts that cannot end a comment.
struct heading {
  struct text path, flags;
  struct heading_kernel {
    const char *kernel;
    struct text where; // empty: unknown
    const struct baked_key *keys;
    unsigned n_keys;
  } *kernels;
  unsigned n_kernels;
};

static void heading_version(const struct template_scope *scope, struct text *out) {
  (void)scope;
  text_printf(out, "%s", AUTOTUNE_VERSION);
}

static void heading_key(const struct template_scope *scope, struct text *out) {
  const struct baked_key *key = scope->data;
  bake_wrapped(out, " *     ", 5, arena_printf("%s: %s", key->name, key->about));
}

/* clang-format off */
#define THIS struct heading_kernel
static const struct template_field heading_key_fields[] = {
  TEMPLATE_WRITE("key", heading_key), TEMPLATE_END
};
static const struct template_field heading_kernel_fields[] = {
  TEMPLATE_FIELD(THIS, STRING, kernel), TEMPLATE_FIELD(THIS, SLICE, where),
  TEMPLATE_LIST(THIS, "keys", keys, n_keys, heading_key_fields), TEMPLATE_END
};
#undef THIS
#define THIS struct heading
static const struct template_field heading_fields[] = {
  TEMPLATE_WRITE("version", heading_version),
  TEMPLATE_FIELD(THIS, SLICE, path), TEMPLATE_FIELD(THIS, SLICE, flags),
  TEMPLATE_LIST(THIS, "kernels", kernels, n_kernels, heading_kernel_fields), TEMPLATE_END
};
#undef THIS
/* clang-format on */

void bake_heading(const struct source *s, const struct kernel *kernels, unsigned n,
                  const struct compile_options *o, struct text *out) {
  struct heading h = { .n_kernels = 0 };
  unsigned n_flags;
  const char **flags = preprocess_flags(o, &n_flags);
  bake_comment(&h.path, s->path);
  for (unsigned i = 0; i < n_flags; i++) {
    text_printf(&h.flags, "%s", i ? " " : ", with ");
    bake_comment(&h.flags, flags[i]);
  }
  for (unsigned i = 0; i < n; i++) {
    const struct baked *b = kernels[i].baked;
    if (kernels[i].left_out)
      continue;
    struct heading_kernel *k = GROW(h.kernels, h.n_kernels);
    *k = (struct heading_kernel){ .kernel = kernels[i].main.name };
    if (b) {
      bake_comment(&k->where, b->where);
      k->keys = b->keys;
      k->n_keys = b->n_keys;
    }
  }
  struct template_scope scope = { heading_fields, &h, 0, NULL };
  template_render(&bake_templates, "heading", &scope, out);
}
