// SPDX-License-Identifier: Apache-2.0
// template.c: templates and their expected output.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "front/emit/template.h"

struct fruit {
  const char *name;
  unsigned count;
  struct slice *colours;
  unsigned n_colours;
};
struct basket {
  const char *owner, *note;
  long long lowest;
  double weight;
  bool full;
  struct fruit *fruits;
  unsigned n_fruits;
};

static void write_lines(const struct template_scope *scope, struct text *out) {
  const struct basket *b = scope->data;
  for (unsigned i = 0; i < b->n_fruits; i++)
    text_printf(out, "line %u\n", i);
}

static const struct template_field colour_fields[] = { TEMPLATE_SELF("colour", SLICE),
                                                       TEMPLATE_END };
static const struct template_field fruit_fields[] = {
  TEMPLATE_FIELD(struct fruit, STRING, name),
  TEMPLATE_FIELD(struct fruit, UNSIGNED, count),
  TEMPLATE_LIST(struct fruit, "colours", colours, n_colours, colour_fields), TEMPLATE_END
};
static const struct template_field basket_fields[] = {
  TEMPLATE_FIELD(struct basket, STRING, owner),
  TEMPLATE_FIELD(struct basket, STRING, note),
  TEMPLATE_FIELD(struct basket, LONG, lowest),
  TEMPLATE_FIELD(struct basket, REAL, weight),
  TEMPLATE_FIELD(struct basket, BOOL, full),
  TEMPLATE_LIST(struct basket, "fruits", fruits, n_fruits, fruit_fields),
  TEMPLATE_WRITE("lines", write_lines),
  TEMPLATE_END
};

static void upper(const struct template_scope *scope, struct slice text,
                  struct text *out) {
  (void)scope;
  for (size_t i = 0; i < text.size; i++)
    text_printf(out, "%c", text.data[i] - 'a' + 'A');
}
static const struct template_filter filters[] = { { "upper", upper }, { .name = NULL } };

// Expects TEXT from PART of a file of language and of a shared one, for a basket.
static void expect(const char *file, const char *text) {
  struct slice colours[] = { { "red", 3 }, { "green", 5 } };
  struct fruit fruits[] = { { "apple", 3, colours, 2 }, { "fig", 0, NULL, 0 } };
  struct basket b = { "eve", NULL, INT64_MIN, 0.5, false, fruits, 2 };
  const char *files[] = { file, "\n=== more\nshared ${owner}\n\n=== over\nhidden\n",
                          NULL };
  struct template t = { files, filters };
  struct template_scope scope = { basket_fields, &b, 0, NULL };
  struct text out = { 0 };
  text_add(&out, "", 0);
  template_render(&t, "over", &scope, &out);
  assert_string_equal(out.data, text);
  arena_reset();
}

static void test_values(void **state) {
  (void)state;
  expect(
      "comment ${\n=== over: what follows the colon is a comment\n${owner}'s ${note}.\n",
      "eve's .\n");
  expect("\n=== over\n${owner|string} ${note|string} ${owner|upper}\n",
         "\"eve\" 0 EVE\n");
  expect("\n=== over\n${lowest} ${full} ${fruits}\n", "-9223372036854775807LL - 1 0 2\n");
  expect("\n=== over\n${weight}\n", "5.00000000000000000e-01\n");
}

static void test_lists(void **state) {
  (void)state;
  expect("\n=== over\n${#fruits}${?@}, ${/@}${@} ${name} of ${owner}${/fruits}.\n",
         "0 apple of eve, 1 fig of eve.\n");
  expect(
      "\n=== over\n${#fruits}\n  ${name}:${#colours} ${colour}${/colours}\n${/fruits}\nend\n",
      "  apple: red green\n  fig:\nend\n");
}

static void test_conditions(void **state) {
  (void)state;
  expect("\n=== over\n${#fruits}\n${?count}\n${count} ${name}\n${else}\nno ${name}\n"
         "${/count}\n${/fruits}\n",
         "3 apple\nno fig\n");
  expect("\n=== over\n${?note}a${/note}${?full}b${else}c${/full}${?fruits}d${/fruits}\n",
         "cd\n");
}

static void test_parts(void **state) {
  (void)state;
  expect("\n=== over\n[${>more}]\n${>more}\n${lines}\n${note}\nend\n",
         "[shared eve]\nshared eve\nline 0\nline 1\nend\n");
}

static void add_word(void *data, struct slice word) {
  text_printf(data, "%.*s ", (int)word.size, word.data);
}

static void test_words(void **state) {
  (void)state;
  const char *files[] = { "not this\n=== a\nint x_${@}y = f(\"no\"); // no\n", NULL };
  struct text words = { 0 };
  template_words(&(struct template){ files, filters }, add_word, &words);
  assert_string_equal(words.data, "int x_ y f ");
  arena_reset();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_values),     cmocka_unit_test(test_lists),
    cmocka_unit_test(test_conditions), cmocka_unit_test(test_parts),
    cmocka_unit_test(test_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
