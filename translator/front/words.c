// SPDX-License-Identifier: Apache-2.0
// words.c: the words of C that declarations are made of.
#include "front.h"

static bool words_is_one_of(struct slice word, const char *const *words) {
  for (; *words; words++)
    if (slice_is(word, *words))
      return true;
  return false;
}

bool is_storage(struct slice word) {
  static const char *const words[] = { "static",   "extern",        "inline",
                                       "__inline", "__inline__",    "_Noreturn",
                                       "register", "__extension__", "auto",
                                       NULL };
  return words_is_one_of(word, words);
}

bool is_attribute(struct slice word) {
  static const char *const words[] = { "__attribute__", "__attribute", "__declspec",
                                       "_Alignas",      "alignas",     NULL };
  return words_is_one_of(word, words);
}

bool is_qualifier(struct slice word) {
  static const char *const words[] = { "const",      "volatile",     "restrict",
                                       "__restrict", "__restrict__", "_Atomic",
                                       NULL };
  return words_is_one_of(word, words);
}

bool is_tag(struct slice word) {
  static const char *const words[] = { "struct", "union", "enum", NULL };
  return words_is_one_of(word, words);
}

bool is_typeof(struct slice word) {
  static const char *const words[] = { "typeof", "__typeof__", "__typeof",
                                       "typeof_unqual", NULL };
  return words_is_one_of(word, words);
}

static bool is_basic(struct slice word) {
  static const char *const words[] = { "void",     "char",     "short",    "int",
                                       "long",     "float",    "double",   "signed",
                                       "unsigned", "_Bool",    "bool",     "_Complex",
                                       "__int128", "_Float16", "_Float32", "_Float64",
                                       "__fp16",   "__bf16",   NULL };
  return words_is_one_of(word, words);
}

bool is_integer_word(struct slice word) {
  static const char *const words[] = { "char",      "short",    "int",       "long",
                                       "signed",    "unsigned", "_Bool",     "bool",
                                       "size_t",    "ssize_t",  "ptrdiff_t", "intptr_t",
                                       "uintptr_t", "int8_t",   "int16_t",   "int32_t",
                                       "int64_t",   "uint8_t",  "uint16_t",  "uint32_t",
                                       "uint64_t",  "enum",     NULL };
  return words_is_one_of(word, words);
}

bool is_real_word(struct slice word) {
  static const char *const words[] = { "float",    "double",   "_Float16",
                                       "_Float32", "_Float64", NULL };
  return words_is_one_of(word, words);
}

bool is_type_word(struct slice word) {
  return is_basic(word) || is_qualifier(word) || is_tag(word) || is_typeof(word) ||
      is_integer_word(word) || is_real_word(word);
}

bool is_keyword(struct slice word) {
  static const char *const words[] = { "break",
                                       "case",
                                       "continue",
                                       "default",
                                       "do",
                                       "else",
                                       "for",
                                       "goto",
                                       "if",
                                       "return",
                                       "sizeof",
                                       "switch",
                                       "typedef",
                                       "while",
                                       "_Alignof",
                                       "_Generic",
                                       "_Static_assert",
                                       "_Thread_local",
                                       "__builtin_offsetof",
                                       "asm",
                                       "__asm__",
                                       NULL };
  return words_is_one_of(word, words) || is_storage(word) || is_attribute(word) ||
      is_qualifier(word) || is_tag(word) || is_typeof(word) || is_basic(word);
}
