// SPDX-License-Identifier: Apache-2.0
// words.c: the words that declarations are made of, in C, C++ and CUDA.
#include "front.h"

enum {
  STORAGE = WORD_STORAGE,
  QUALIFIER = WORD_QUALIFIER,
  ATTRIBUTE = WORD_ATTRIBUTE,
  TAG = WORD_TAG,
  TYPEOF = WORD_TYPEOF,
  INTEGER = WORD_INTEGER,
  REAL = WORD_REAL,
  TYPE = WORD_TYPE,
  STATEMENT = 1 << 8, // it begins or continues a statement or an expression
  LIBRARY = 1 << 9,   // a typedef of the C library whose kind is known
  EXTENDED = 1 << 10, // a number type that is used for no key and no sum
  CPLUSPLUS = 1 << 11 // only in C++ and CUDA
};

static const struct {
  const char *word;
  unsigned is;
} words[] = { { "typedef", STORAGE },
              { "extern", STORAGE },
              { "static", STORAGE },
              { "inline", STORAGE },
              { "__inline", STORAGE },
              { "__inline__", STORAGE },
              { "_Noreturn", STORAGE },
              { "_Thread_local", STORAGE },
              { "__thread", STORAGE },
              { "thread_local", STORAGE },
              { "register", STORAGE },
              { "auto", STORAGE },
              { "constexpr", STORAGE },
              { "__extension__", STORAGE },
              { "const", QUALIFIER },
              { "__const", QUALIFIER },
              { "__const__", QUALIFIER },
              { "volatile", QUALIFIER },
              { "__volatile__", QUALIFIER },
              { "restrict", QUALIFIER },
              { "__restrict", QUALIFIER },
              { "__restrict__", QUALIFIER },
              { "_Nullable", QUALIFIER },
              { "_Nonnull", QUALIFIER },
              { "_Atomic", QUALIFIER | TYPEOF },
              { "__attribute__", ATTRIBUTE },
              { "__attribute", ATTRIBUTE },
              { "__asm__", ATTRIBUTE },
              { "__asm", ATTRIBUTE },
              { "asm", ATTRIBUTE },
              { "_Alignas", ATTRIBUTE },
              { "alignas", ATTRIBUTE },
              { "__declspec", ATTRIBUTE },
              { "struct", TAG },
              { "union", TAG },
              { "enum", TAG },
              { "class", TAG | CPLUSPLUS },
              { "typeof", TYPEOF },
              { "__typeof__", TYPEOF },
              { "__typeof", TYPEOF },
              { "typeof_unqual", TYPEOF },
              { "_BitInt", TYPEOF },
              { "int", INTEGER },
              { "char", INTEGER },
              { "short", INTEGER },
              { "long", INTEGER },
              { "signed", INTEGER },
              { "__signed__", INTEGER },
              { "__signed", INTEGER },
              { "unsigned", INTEGER },
              { "_Bool", INTEGER },
              { "bool", INTEGER },
              { "__int128", INTEGER | EXTENDED },
              { "__int128_t", INTEGER | EXTENDED },
              { "__uint128_t", INTEGER | EXTENDED },
              { "size_t", INTEGER | LIBRARY },
              { "ssize_t", INTEGER | LIBRARY },
              { "ptrdiff_t", INTEGER | LIBRARY },
              { "intptr_t", INTEGER | LIBRARY },
              { "uintptr_t", INTEGER | LIBRARY },
              { "int8_t", INTEGER | LIBRARY },
              { "int16_t", INTEGER | LIBRARY },
              { "int32_t", INTEGER | LIBRARY },
              { "int64_t", INTEGER | LIBRARY },
              { "uint8_t", INTEGER | LIBRARY },
              { "uint16_t", INTEGER | LIBRARY },
              { "uint32_t", INTEGER | LIBRARY },
              { "uint64_t", INTEGER | LIBRARY },
              { "float", REAL },
              { "double", REAL },
              { "_Float16", REAL },
              { "_Float32", REAL | LIBRARY },
              { "_Float64", REAL | LIBRARY },
              { "__bf16", REAL | EXTENDED },
              { "__fp16", REAL | EXTENDED },
              { "__float128", REAL | EXTENDED },
              { "void", TYPE },
              { "_Complex", TYPE },
              { "__complex__", TYPE },
              { "__builtin_va_list", TYPE },
              { "break", STATEMENT },
              { "case", STATEMENT },
              { "continue", STATEMENT },
              { "default", STATEMENT },
              { "do", STATEMENT },
              { "else", STATEMENT },
              { "for", STATEMENT },
              { "goto", STATEMENT },
              { "if", STATEMENT },
              { "return", STATEMENT },
              { "sizeof", STATEMENT },
              { "switch", STATEMENT },
              { "while", STATEMENT },
              { "_Alignof", STATEMENT },
              { "_Generic", STATEMENT },
              { "_Static_assert", STATEMENT },
              { "__builtin_offsetof", STATEMENT },
              { "consteval", STORAGE | CPLUSPLUS },
              { "constinit", STORAGE | CPLUSPLUS },
              { "mutable", STORAGE | CPLUSPLUS },
              { "typename", STORAGE | CPLUSPLUS },
              { "override", STORAGE | CPLUSPLUS },
              { "final", STORAGE | CPLUSPLUS },
              { "__device__", STORAGE | CPLUSPLUS },
              { "__host__", STORAGE | CPLUSPLUS },
              { "__global__", STORAGE | CPLUSPLUS },
              { "__constant__", STORAGE | CPLUSPLUS },
              { "__shared__", STORAGE | CPLUSPLUS },
              { "__managed__", STORAGE | CPLUSPLUS },
              { "__forceinline__", STORAGE | CPLUSPLUS },
              { "__noinline__", STORAGE | CPLUSPLUS },
              { "decltype", ATTRIBUTE | CPLUSPLUS },
              { "noexcept", ATTRIBUTE | CPLUSPLUS },
              { "explicit", ATTRIBUTE | CPLUSPLUS },
              { "__align__", ATTRIBUTE | CPLUSPLUS },
              { "__builtin_align__", ATTRIBUTE | CPLUSPLUS },
              { "__launch_bounds__", ATTRIBUTE | CPLUSPLUS },
              { "__cluster_dims__", ATTRIBUTE | CPLUSPLUS },
              { "__block_size__", ATTRIBUTE | CPLUSPLUS },
              { "__maxnreg__", ATTRIBUTE | CPLUSPLUS },
              { "__nv_pure__", ATTRIBUTE | CPLUSPLUS } };

static unsigned words_is(struct slice w) {
  for (size_t i = 0; w.size > 1 && i < sizeof words / sizeof *words; i++)
    if (words[i].word[0] == w.data[0] && words[i].word[1] == w.data[1] &&
        slice_is(w, words[i].word))
      return words[i].is;
  return 0;
}

unsigned word_of_c(struct slice word) {
  unsigned is = words_is(word);
  return is & (CPLUSPLUS | LIBRARY) ? 0 : is & WORD_ANY;
}

unsigned word_of_cplusplus(struct slice word) {
  unsigned is = words_is(word);
  return is & LIBRARY ? 0 : is & WORD_ANY;
}

struct slice word_after_std(struct lexer *l, struct slice word) {
  bool std = slice_is(word, "std") && l->end - l->p > 2 && l->p[0] == ':' &&
      l->p[1] == ':';
  l->p += std ? 2 : 0;
  return std ? lex(l).text : word;
}

// True if WORD is a word of C with a bit of KIND and none of OTHER.
static bool words_c(struct slice word, unsigned kind, unsigned other) {
  unsigned is = words_is(word);
  return (is & kind) && !(is & (other | CPLUSPLUS));
}

bool is_storage(struct slice word) {
  return words_c(word, STORAGE, 0);
}

bool is_attribute(struct slice word) {
  return words_c(word, ATTRIBUTE, 0);
}

bool is_qualifier(struct slice word) {
  return words_c(word, QUALIFIER, 0);
}

bool is_tag(struct slice word) {
  return words_c(word, TAG, 0);
}

bool is_typeof(struct slice word) {
  return words_c(word, TYPEOF, QUALIFIER);
}

bool is_integer_word(struct slice word) {
  return words_c(word, INTEGER, EXTENDED) || slice_is(word, "enum");
}

bool is_real_word(struct slice word) {
  return words_c(word, REAL, EXTENDED);
}

bool is_type_word(struct slice word) {
  return words_c(word, QUALIFIER | TAG | TYPEOF | INTEGER | REAL | TYPE, 0);
}

bool is_keyword(struct slice word) {
  return words_c(word, WORD_ANY | STATEMENT, LIBRARY);
}
