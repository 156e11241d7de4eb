/* SPDX-License-Identifier: Apache-2.0 */
/* autotune_text.h: macros of generated text: attributes, the warnings that it is free of,
 * and the types of expressions in C. The part of autotune_abi.h that is no interface. */
#ifndef AUTOTUNE_TEXT_H
#define AUTOTUNE_TEXT_H

/* ---- the default variant --------------------------------------------------------- */

/* AUTOTUNE_ONE_COPY, of the default variant of a function. Some of its calls are timed,
 * or made in a sandbox, others are not. Where -ffast-math lets compilers reorder sums,
 * each copy of the code that they make for a caller may order them in another way: the
 * program would compute other digits by which of its calls are timed. So there is one
 * copy. AUTOTUNE_ONE_COPY_LATE is for a declaration after the definition: gcc, for C,
 * warns of a function that is `inline` if it was declared before. Static member
 * functions, and options of single functions (#pragma GCC optimize), have neither. */
#if !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)
#define AUTOTUNE_ONE_COPY
#define AUTOTUNE_ONE_COPY_LATE
#elif defined(__clang__)
#define AUTOTUNE_ONE_COPY __attribute__((__noinline__))
#define AUTOTUNE_ONE_COPY_LATE
#elif defined(__cplusplus)
#define AUTOTUNE_ONE_COPY __attribute__((__noinline__, __noclone__))
#else
#define AUTOTUNE_ONE_COPY
#define AUTOTUNE_ONE_COPY_LATE __attribute__((__noinline__, __noclone__))
#endif

/* ---- warnings -------------------------------------------------------------------- */

/* AUTOTUNE_GENERATED … AUTOTUNE_AS_WRITTEN: suppress the warnings that the user switched
 * on for the text between them. (A linemarker that says "system header" would do the
 * same, but gcc -Wpedantic refuses linemarkers.) */
#if defined(__clang__)
#define AUTOTUNE_GENERATED \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Weverything\"")
#define AUTOTUNE_AS_WRITTEN _Pragma("clang diagnostic pop")
#else
#define AUTOTUNE_PRAGMA_OF(x) _Pragma(#x)
#define AUTOTUNE_QUIET(x) AUTOTUNE_PRAGMA_OF(GCC diagnostic ignored x)
#ifdef __cplusplus /* g++ 14 warns of C-only options even so */
#define AUTOTUNE_QUIET_OWN           \
  AUTOTUNE_QUIET("-Wold-style-cast") \
  AUTOTUNE_QUIET("-Wuseless-cast") AUTOTUNE_QUIET("-Wzero-as-null-pointer-constant")
#else
#define AUTOTUNE_QUIET_OWN \
  AUTOTUNE_QUIET("-Wtraditional") AUTOTUNE_QUIET("-Wc90-c99-compat")
#endif
/* clang-format off */
#define AUTOTUNE_GENERATED _Pragma("GCC diagnostic push") \
  AUTOTUNE_QUIET("-Wpragmas") AUTOTUNE_QUIET("-Wpedantic") \
  AUTOTUNE_QUIET("-Wconversion") AUTOTUNE_QUIET("-Wsign-conversion") \
  AUTOTUNE_QUIET("-Wfloat-conversion") AUTOTUNE_QUIET("-Warith-conversion") \
  AUTOTUNE_QUIET("-Wunused") AUTOTUNE_QUIET("-Wunused-function") \
  AUTOTUNE_QUIET("-Wunused-parameter") AUTOTUNE_QUIET("-Wunused-variable") \
  AUTOTUNE_QUIET("-Wunused-const-variable") \
  AUTOTUNE_QUIET("-Wunused-but-set-parameter") \
  AUTOTUNE_QUIET("-Wunused-local-typedefs") AUTOTUNE_QUIET("-Wmissing-prototypes") \
  AUTOTUNE_QUIET("-Wmissing-declarations") AUTOTUNE_QUIET("-Wredundant-decls") \
  AUTOTUNE_QUIET("-Wstrict-prototypes") AUTOTUNE_QUIET("-Wnested-externs") \
  AUTOTUNE_QUIET("-Wshadow") AUTOTUNE_QUIET("-Wcast-qual") \
  AUTOTUNE_QUIET("-Wcast-align") AUTOTUNE_QUIET("-Wcast-function-type") \
  AUTOTUNE_QUIET("-Wbad-function-cast") AUTOTUNE_QUIET("-Wwrite-strings") \
  AUTOTUNE_QUIET("-Wdiscarded-qualifiers") \
  AUTOTUNE_QUIET("-Wincompatible-pointer-types") \
  AUTOTUNE_QUIET("-Wdeclaration-after-statement") AUTOTUNE_QUIET("-Wvla") \
  AUTOTUNE_QUIET("-Woverlength-strings") AUTOTUNE_QUIET("-Wlong-long") \
  AUTOTUNE_QUIET("-Wtraditional-conversion") AUTOTUNE_QUIET("-Wc99-c11-compat") \
  AUTOTUNE_QUIET("-Wc11-c2x-compat") AUTOTUNE_QUIET("-Wfloat-equal") \
  AUTOTUNE_QUIET("-Waggregate-return") AUTOTUNE_QUIET("-Winline") \
  AUTOTUNE_QUIET("-Wmissing-noreturn") \
  AUTOTUNE_QUIET("-Wsuggest-attribute=noreturn") \
  AUTOTUNE_QUIET("-Wsuggest-attribute=const") \
  AUTOTUNE_QUIET("-Wsuggest-attribute=pure") \
  AUTOTUNE_QUIET("-Wsuggest-attribute=cold") \
  AUTOTUNE_QUIET("-Wsuggest-attribute=malloc") \
  AUTOTUNE_QUIET("-Wsuggest-attribute=format") \
  AUTOTUNE_QUIET("-Wmissing-field-initializers") AUTOTUNE_QUIET("-Wtype-limits") \
  AUTOTUNE_QUIET("-Wsign-compare") AUTOTUNE_QUIET("-Wdouble-promotion") \
  AUTOTUNE_QUIET("-Wunsafe-loop-optimizations") AUTOTUNE_QUIET("-Wnonnull-compare") \
  AUTOTUNE_QUIET("-Waddress") AUTOTUNE_QUIET("-Wpadded") \
  AUTOTUNE_QUIET("-Wuninitialized") AUTOTUNE_QUIET("-Wmaybe-uninitialized") \
  AUTOTUNE_QUIET("-Wparentheses") AUTOTUNE_QUIET("-Wlogical-op") \
  AUTOTUNE_QUIET("-Wattributes") AUTOTUNE_QUIET("-Wnull-dereference") \
  AUTOTUNE_QUIET("-Wundef") AUTOTUNE_QUIET_OWN
/* clang-format on */
#define AUTOTUNE_AS_WRITTEN _Pragma("GCC diagnostic pop")
#endif

/* ---- types ----------------------------------------------------------------------- */

/* The enum autotune_element of an expression's type, the bytes of its elements, and its
 * enum autotune_arg_kind. For C++ see autotune_cuda.h. A `char` is a byte. */
#if !defined(__cplusplus)
#ifdef __SIZEOF_INT128__
#define AUTOTUNE_INT128 __int128 : AUTOTUNE_SIGNED, unsigned __int128 : AUTOTUNE_UNSIGNED,
#else
#define AUTOTUNE_INT128
#endif
#define AUTOTUNE_ELEMENT(x)                  \
  _Generic((x),                              \
      float: AUTOTUNE_F32,                   \
      double: AUTOTUNE_F64,                  \
      long double: AUTOTUNE_F80,             \
      float _Complex: AUTOTUNE_F32,          \
      double _Complex: AUTOTUNE_F64,         \
      long double _Complex: AUTOTUNE_F80,    \
      signed char: AUTOTUNE_SIGNED,          \
      short: AUTOTUNE_SIGNED,                \
      int: AUTOTUNE_SIGNED,                  \
      long: AUTOTUNE_SIGNED,                 \
      long long: AUTOTUNE_SIGNED,            \
      unsigned char: AUTOTUNE_UNSIGNED,      \
      unsigned short: AUTOTUNE_UNSIGNED,     \
      unsigned: AUTOTUNE_UNSIGNED,           \
      unsigned long: AUTOTUNE_UNSIGNED,      \
      unsigned long long: AUTOTUNE_UNSIGNED, \
      _Bool: AUTOTUNE_UNSIGNED,              \
      AUTOTUNE_INT128 default: AUTOTUNE_BYTES)
/* The elements of an array; 0 where they have no size. */
#define AUTOTUNE_COUNT(x) (sizeof(x) / (sizeof((x)[0]) + !sizeof((x)[0])))
#define AUTOTUNE_ARG_KIND(x)                    \
  _Generic((x),                                 \
      float: AUTOTUNE_ARG_REAL,                 \
      double: AUTOTUNE_ARG_REAL,                \
      signed char: AUTOTUNE_ARG_INTEGER,        \
      unsigned char: AUTOTUNE_ARG_INTEGER,      \
      short: AUTOTUNE_ARG_INTEGER,              \
      unsigned short: AUTOTUNE_ARG_INTEGER,     \
      int: AUTOTUNE_ARG_INTEGER,                \
      unsigned: AUTOTUNE_ARG_INTEGER,           \
      long: AUTOTUNE_ARG_INTEGER,               \
      unsigned long: AUTOTUNE_ARG_INTEGER,      \
      long long: AUTOTUNE_ARG_INTEGER,          \
      unsigned long long: AUTOTUNE_ARG_INTEGER, \
      default: AUTOTUNE_ARG_OTHER)
#define AUTOTUNE_ELEMENT_SIZE(x)           \
  _Generic((x),                            \
      float _Complex: sizeof(x) / 2,       \
      double _Complex: sizeof(x) / 2,      \
      long double _Complex: sizeof(x) / 2, \
      default: sizeof(x))
#endif

#endif
