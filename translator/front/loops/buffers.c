// SPDX-License-Identifier: Apache-2.0
// buffers.c: the text of buffers, which a tile has in place of arrays (front/affine).
#include "front/affine/affine.h"
#include "loops.h"

// Returns the bytes of X as an expression. NAMES: its widths are variables.
static const char *buffer_bytes(const struct tile_buffer *x, unsigned at, bool names) {
  struct text t = { 0 };
  text_printf(&t, "((long long)sizeof(%s)", x->element);
  for (unsigned i = 0; i < x->n && names; i++)
    text_printf(&t, " * autotune_width%u", at * MAX_SUBSCRIPTS + i);
  for (unsigned i = 0; i < x->n && !names; i++)
    text_printf(&t, " * AUTOTUNE_MORE(%s, 1LL)", x->most[i]); // as in buffers_widths
  text_printf(&t, " + %d) / %d * %d", BUFFER_LINE - 1, BUFFER_LINE, BUFFER_LINE);
  return t.data;
}

const char *buffers_bytes(const struct tile_buffer *list, unsigned n, bool names) {
  struct text t = { 0 };
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%s%s", i ? " + " : "", buffer_bytes(&list[i], i, names));
  return t.data;
}

void buffers_widths(const struct tile_buffer *list, unsigned n, struct text *out) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < list[i].n; j++)
      text_printf(out, "const long long autotune_width%u = AUTOTUNE_MORE(%s, 1LL);\n",
                  i * MAX_SUBSCRIPTS + j, list[i].most[j]);
}

void buffers_begin(const struct tile_buffer *list, unsigned n, struct text *out) {
  const char *before = "autotune_memory";
  for (unsigned i = 0; i < n; i++) {
    const char *element = list[i].element;
    text_printf(out,
                "__typeof__(%s) *const __restrict__ autotune_local%u = "
                "(__typeof__(%s) *)(%s);\n",
                element, i, element, before);
    before = arena_printf("%s + %s", before, buffer_bytes(&list[i], i, true));
  }
}

void buffers_origins(const struct tile_buffer *list, unsigned n, struct text *out) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < list[i].n; j++)
      text_printf(out, "const long long autotune_origin%u = %s;\n",
                  i * MAX_SUBSCRIPTS + j, list[i].origin[j]);
}
