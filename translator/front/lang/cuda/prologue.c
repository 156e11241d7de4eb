// SPDX-License-Identifier: Apache-2.0
// prologue.c: writes the names of <stdint.h>, <limits.h>, <float.h>, <math.h> and
// <cuda.h> that NVRTC lacks and the kernel reaches; includes the C++ library's headers
// through the toolkit's.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/include.h"
#include "items.h"

// Types as the host's compilers on Linux define them. Those of `long` are `long long` in
// the toolkit's C++ library, which declares them for NVRTC: a unit that includes a header
// of that library must use the same types.
static const char *const types[][2] = {
  { "int8_t", "signed char" },
  { "int16_t", "short" },
  { "int32_t", "int" },
  { "int64_t", "long" },
  { "uint8_t", "unsigned char" },
  { "uint16_t", "unsigned short" },
  { "uint32_t", "unsigned int" },
  { "uint64_t", "unsigned long" },
  { "intptr_t", "long" },
  { "uintptr_t", "unsigned long" },
  { "intmax_t", "long" },
  { "uintmax_t", "unsigned long" },
  { "ptrdiff_t", "long" },
  { "ssize_t", "long" },
  { "uchar", "unsigned char" },
  { "ushort", "unsigned short" },
  { "uint", "unsigned int" },
  { "ulong", "unsigned long" },
  { "CUtexObject", "unsigned long long" },
  { "CUsurfObject", "unsigned long long" },
  { "CUdeviceptr", "unsigned long long" },
};

static const char *const constants[][2] = {
  { "NULL", "0" },
  { "CHAR_BIT", "8" },
  { "SCHAR_MIN", "(-128)" },
  { "SCHAR_MAX", "127" },
  { "UCHAR_MAX", "255" },
  { "CHAR_MIN", "(-128)" },
  { "CHAR_MAX", "127" },
  { "SHRT_MIN", "(-32768)" },
  { "SHRT_MAX", "32767" },
  { "USHRT_MAX", "65535" },
  { "INT_MIN", "(-2147483647 - 1)" },
  { "INT_MAX", "2147483647" },
  { "UINT_MAX", "4294967295u" },
  { "LONG_MIN", "(-9223372036854775807l - 1)" },
  { "LONG_MAX", "9223372036854775807l" },
  { "ULONG_MAX", "18446744073709551615ul" },
  { "LLONG_MIN", "(-9223372036854775807ll - 1)" },
  { "LLONG_MAX", "9223372036854775807ll" },
  { "ULLONG_MAX", "18446744073709551615ull" },
  { "INT8_MIN", "(-128)" },
  { "INT8_MAX", "127" },
  { "UINT8_MAX", "255" },
  { "INT16_MIN", "(-32768)" },
  { "INT16_MAX", "32767" },
  { "UINT16_MAX", "65535" },
  { "INT32_MIN", "(-2147483647 - 1)" },
  { "INT32_MAX", "2147483647" },
  { "UINT32_MAX", "4294967295u" },
  { "INT64_MIN", "(-9223372036854775807l - 1)" },
  { "INT64_MAX", "9223372036854775807l" },
  { "UINT64_MAX", "18446744073709551615ul" },
  { "SIZE_MAX", "18446744073709551615ul" },
  { "PTRDIFF_MAX", "9223372036854775807l" },
  { "UINTPTR_MAX", "18446744073709551615ul" },
  { "FLT_RADIX", "2" },
  { "FLT_MANT_DIG", "24" },
  { "FLT_DIG", "6" },
  { "FLT_MIN_EXP", "(-125)" },
  { "FLT_MAX_EXP", "128" },
  { "FLT_MAX", "3.402823466e+38f" },
  { "FLT_MIN", "1.175494351e-38f" },
  { "FLT_EPSILON", "1.192092896e-07f" },
  { "FLT_TRUE_MIN", "1.401298464e-45f" },
  { "DBL_MANT_DIG", "53" },
  { "DBL_DIG", "15" },
  { "DBL_MIN_EXP", "(-1021)" },
  { "DBL_MAX_EXP", "1024" },
  { "DBL_MAX", "1.7976931348623157e+308" },
  { "DBL_MIN", "2.2250738585072014e-308" },
  { "DBL_EPSILON", "2.2204460492503131e-16" },
  { "INFINITY", "__int_as_float(0x7f800000)" },
  { "NAN", "__int_as_float(0x7fffffff)" },
  { "HUGE_VALF", "__int_as_float(0x7f800000)" },
  { "HUGE_VAL", "__longlong_as_double(0x7ff0000000000000ll)" },
  { "M_E", "2.7182818284590452354" },
  { "M_LOG2E", "1.4426950408889634074" },
  { "M_LOG10E", "0.43429448190325182765" },
  { "M_LN2", "0.69314718055994530942" },
  { "M_LN10", "2.30258509299404568402" },
  { "M_PI", "3.14159265358979323846" },
  { "M_PI_2", "1.57079632679489661923" },
  { "M_PI_4", "0.78539816339744830962" },
  { "M_1_PI", "0.31830988618379067154" },
  { "M_2_PI", "0.63661977236758134308" },
  { "M_2_SQRTPI", "1.12837916709551257390" },
  { "M_SQRT2", "1.41421356237309504880" },
  { "M_SQRT1_2", "0.70710678118654752440" },
  { "CUDART_INF_F", "__int_as_float(0x7f800000)" },
  { "CUDART_NAN_F", "__int_as_float(0x7fffffff)" },
  { "CUDART_INF", "__longlong_as_double(0x7ff0000000000000ll)" },
  { "CUDART_PI_F", "3.141592654f" },
  { "CUDART_PI", "3.1415926535897931e+0" },
};

static const char *const functions[][2] = {
  { "INT8_C", "(c) c" },      { "INT16_C", "(c) c" },      { "INT32_C", "(c) c" },
  { "INT64_C", "(c) c##l" },  { "UINT8_C", "(c) c" },      { "UINT16_C", "(c) c" },
  { "UINT32_C", "(c) c##u" }, { "UINT64_C", "(c) c##ul" },
};

// The toolkit's headers by names of namespace std; all other names are in
// <cuda/std/type_traits>.
static const char *const library[][2] = {
  { "numeric_limits", "limits" },
  { "pair", "utility" },
  { "make_pair", "utility" },
  { "swap", "utility" },
  { "exchange", "utility" },
  { "declval", "utility" },
  { "integer_sequence", "utility" },
  { "index_sequence", "utility" },
  { "make_index_sequence", "utility" },
  { "tuple", "tuple" },
  { "make_tuple", "tuple" },
  { "tie", "tuple" },
  { "array", "array" },
  { "complex", "complex" },
  { "optional", "optional" },
  { "span", "span" },
  { "accumulate", "numeric" },
  { "plus", "functional" },
  { "multiplies", "functional" },
  { "minus", "functional" },
  { "divides", "functional" },
  { "modulus", "functional" },
  { "negate", "functional" },
  { "equal_to", "functional" },
  { "not_equal_to", "functional" },
  { "less", "functional" },
  { "less_equal", "functional" },
  { "greater", "functional" },
  { "greater_equal", "functional" },
  { "logical_and", "functional" },
  { "logical_or", "functional" },
  { "logical_not", "functional" },
  { "bit_and", "functional" },
  { "bit_or", "functional" },
  { "bit_xor", "functional" },
  { "bit_cast", "bit" },
  { "sqrt", "cmath" },
  { "exp", "cmath" },
  { "log", "cmath" },
  { "abs", "cmath" },
  { "fabs", "cmath" },
  { "isnan", "cmath" },
  { "isinf", "cmath" },
  { "fma", "cmath" },
  { "pow", "cmath" },
  { "tanh", "cmath" },
  { "sin", "cmath" },
  { "cos", "cmath" },
  { "nearbyint", "cmath" },
  { "nearbyintf", "cmath" },
  { "rint", "cmath" },
  { "lrint", "cmath" },
  { "round", "cmath" },
  { "lround", "cmath" },
  { "floor", "cmath" },
  { "ceil", "cmath" },
  { "trunc", "cmath" },
  { "fmod", "cmath" },
  { "fmin", "cmath" },
  { "fmax", "cmath" },
  { "hypot", "cmath" },
  { "cbrt", "cmath" },
  { "exp2", "cmath" },
  { "expm1", "cmath" },
  { "log2", "cmath" },
  { "log10", "cmath" },
  { "log1p", "cmath" },
  { "tan", "cmath" },
  { "asin", "cmath" },
  { "acos", "cmath" },
  { "atan", "cmath" },
  { "atan2", "cmath" },
  { "sinh", "cmath" },
  { "cosh", "cmath" },
  { "erf", "cmath" },
  { "copysign", "cmath" },
  { "signbit", "cmath" },
  { "isfinite", "cmath" },
};
// Functions that no header of the toolkit has in all versions.
static const char *const own_functions[][2] = {
  { "min",
    "template <class T> __device__ constexpr const T &min(const T &a, const T &b)\n"
    "{ return b < a ? b : a; }\n" },
  { "max",
    "template <class T> __device__ constexpr const T &max(const T &a, const T &b)\n"
    "{ return a < b ? b : a; }\n" },
  { "clamp",
    "template <class T> __device__ constexpr const T &clamp(const T &x, const T &a, const T &b)\n"
    "{ return x < a ? a : b < x ? b : x; }\n" },
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

// True for names that NVRTC has in namespace std by itself.
static bool prologue_is_built_in(struct slice name) {
  return slice_is(name, "move") || slice_is(name, "forward") ||
      slice_is(name, "initializer_list");
}

// State of a walk over the names after `std::` in the reached text.
struct std_names {
  const struct cuda_reach *r;
  unsigned item;
  struct lexer l;
  bool open;
};

static bool next_std_name(struct std_names *s, struct slice *name) {
  for (; s->item < s->r->items.n; s->item++, s->open = false) {
    const struct item *i = &s->r->items.list[s->item];
    if (!i->reached || (i->kind != ITEM_CODE && i->kind != ITEM_DEFINE))
      continue;
    if (!s->open)
      s->l = lexer_of(i->text);
    s->open = true;
    struct slice last[3] = { { 0 } };
    for (struct token t; (t = lex(&s->l)).kind != TOKEN_END;) {
      bool found = slice_is(last[0], "std") && slice_is(last[1], ":") &&
          slice_is(last[2], ":");
      last[0] = last[1], last[1] = last[2], last[2] = t.text;
      if (found && t.kind == TOKEN_WORD) {
        *name = t.text;
        return true;
      }
    }
  }
  return false;
}

// True for types and functions that we declare ourselves.
static bool prologue_is_own(struct slice name) {
  for (size_t i = 0; i < COUNT(own_functions); i++)
    if (slice_is(name, own_functions[i][0]))
      return true;
  for (size_t i = 0; i < COUNT(types); i++)
    if (slice_is(name, types[i][0]))
      return true;
  return slice_is(name, "size_t");
}

bool prologue_needs_toolkit(const struct cuda_reach *r) {
  struct std_names names = { .r = r };
  for (unsigned n = 0; n < r->items.n; n++)
    if (r->items.list[n].kind == ITEM_INCLUDE && r->items.list[n].reached)
      return true;
  for (struct slice name; r->toolkit->folder && next_std_name(&names, &name);)
    if (!prologue_is_built_in(name) && !prologue_is_own(name))
      return true;
  return false;
}

static const char *library_header(struct slice name) {
  for (size_t i = 0; i < COUNT(library); i++)
    if (slice_is(name, library[i][0]))
      return library[i][1];
  return "type_traits";
}

static void write_own(struct slice name, struct text *out) {
  for (size_t i = 0; i < COUNT(own_functions); i++)
    if (slice_is(name, own_functions[i][0])) {
      text_printf(out, "namespace std {\n%s}\n", own_functions[i][1]);
      return;
    }
  text_printf(out, "namespace std { using ::%.*s; }\n", (int)name.size, name.data);
}

static void write_library(const struct cuda_reach *r, struct text *out) {
  struct std_names names = { .r = r };
  struct names headers = { 0 }, own = { 0 };
  bool any = false;
  for (struct slice name; next_std_name(&names, &name);) {
    if (prologue_is_own(name) && names_put(&own, name))
      write_own(name, out);
    if (prologue_is_built_in(name) || prologue_is_own(name) || !r->toolkit->folder)
      continue;
    const char *header = library_header(name);
    if (names_put(&headers, slice_of(header)))
      text_printf(out, "#include <cuda/std/%s>\n", header);
    any = true;
  }
  if (any)
    text_printf(out, "namespace std { using namespace cuda::std; }\n");
}

bool prologue_is_users(const struct cuda_reach *r, const char *name) {
  for (unsigned n = 0; n < r->items.n; n++)
    for (unsigned k = 0; r->items.list[n].reached && k < r->items.list[n].n_names; k++)
      if (slice_is(r->items.list[n].names[k].name, name))
        return true;
  return false;
}

// Returns the number of NAME, CUDA_VERSION or CUDART_VERSION, in the toolkit's header;
// empty: it is not known.
static struct slice prologue_version(const struct cuda_reach *r, const char *name) {
  if (!r->toolkit->folder)
    return (struct slice){ 0 };
  const char *header = strcmp(name, "CUDA_VERSION") == 0 ? "cuda.h"
                                                         : "cuda_runtime_api.h";
  const struct source *s = source_read(arena_printf("%s/%s", r->toolkit->folder, header));
  const char *define = arena_printf("#define %s ", name);
  const char *at = s ? memmem(s->text, s->size, define, strlen(define)) : NULL;
  at = at ? at + strlen(define) : "";
  at += strspn(at, " ");
  return (struct slice){ at, strspn(at, "0123456789") };
}

static void write_version(const struct cuda_reach *r, const char *name,
                          struct text *out) {
  struct slice number = { 0 };
  if (names_has(&r->seen, slice_of(name)))
    number = prologue_version(r, name);
  if (number.size)
    text_printf(out, "#define %s %.*s\n", name, (int)number.size, number.data);
}

// Includes the toolkit's own limits before ours, because its headers do not check whether
// a macro is already defined. The machine that compiles the unit may have no toolkit.
static void write_limits(const struct cuda_reach *r, struct text *out) {
  static const char *const headers[] = { "climits", "cstdint", "cfloat" };
  bool any = false;
  for (size_t i = 0; i < COUNT(constants); i++)
    any = any || names_has(&r->seen, slice_of(constants[i][0]));
  for (size_t i = 0; i < COUNT(functions); i++)
    any = any || names_has(&r->seen, slice_of(functions[i][0]));
  for (size_t i = 0; any && i < COUNT(headers); i++)
    if (access(arena_printf("%s/cccl/cuda/std/%s", r->toolkit->folder, headers[i]),
               R_OK) == 0)
      text_printf(out,
                  "#if __has_include(<cuda/std/%s>)\n#include <cuda/std/%s>\n#endif\n",
                  headers[i], headers[i]);
}

static void write_types(const struct cuda_reach *r, bool toolkit, struct text *out) {
  for (size_t i = 0; i < COUNT(types); i++) {
    const char *type = types[i][1];
    bool varies = strstr(types[i][0], "64_t") || strstr(types[i][0], "intptr_t") ||
        strstr(types[i][0], "intmax_t");
    if (toolkit && varies)
      type = *type == 'u' ? "unsigned long long" : "long long";
    if (names_has(&r->seen, slice_of(types[i][0])) && !prologue_is_users(r, types[i][0]))
      text_printf(out, "typedef %s %s;\n", type, types[i][0]);
  }
}

// Writes CUtensorMap as the <cuda.h> of the build has it: NVRTC cannot read that header.
// Its alignment matters where a structure holds one. It is the toolkit's, and not that of
// the NVRTC which will compile the unit, unless the toolkit is not known.
static void write_tensor_map(const struct cuda_reach *r, const struct compile_options *o,
                             struct text *out) {
  static const char name[] = "CUtensorMap";
  if (!names_has(&r->seen, slice_of(name)) || prologue_is_users(r, name))
    return;
  struct slice version = prologue_version(r, "CUDA_VERSION");
  const char *alignment = o->emulate ? "64"
      : version.size ? strtol(version.data, NULL, 10) < 13000 ? "64" : "128"
                     : "__CUDACC_VER_MAJOR__ < 13 ? 64 : 128";
  text_printf(out,
              "typedef struct %s_st {\n  alignas(%s) unsigned long opaque[16];\n} %s;\n",
              name, alignment, name);
}

// Writes GNU C's __typeof__, which NVRTC lacks, and its type, which body.c uses too.
static void write_typeof(const struct cuda_reach *r, struct text *out) {
  static const char *const words[] = { "__typeof__", "__typeof", "typeof" };
  bool any = names_has(&r->seen, slice_of("decltype")) &&
      names_has(&r->seen, slice_of("__grid_constant__"));
  for (size_t i = 0; i < COUNT(words); i++)
    any = any ||
        (names_has(&r->seen, slice_of(words[i])) && !prologue_is_users(r, words[i]));
  if (any)
    text_printf(out,
                "template <class T> struct autotune_typeof { using type = T; };\n"
                "template <class T> struct autotune_typeof<T &> { using type = T; };\n"
                "template <class T> struct autotune_typeof<T &&> { using type = T; };\n"
                "template <class T> using autotune_typeof_t = typename "
                "autotune_typeof<T>::type;\n");
  for (size_t i = 0; i < COUNT(words); i++)
    if (names_has(&r->seen, slice_of(words[i])) && !prologue_is_users(r, words[i]))
      text_printf(out, "#define %s(...) autotune_typeof_t<decltype(__VA_ARGS__)>\n",
                  words[i]);
}

void prologue_write(const struct cuda_reach *r, const struct compile_options *o,
                    struct text *out) {
  bool toolkit = prologue_needs_toolkit(r);
  if (toolkit)
    write_limits(r, out);
  write_types(r, toolkit, out);
  write_tensor_map(r, o, out);
  for (size_t i = 0; i < COUNT(constants); i++)
    if (names_has(&r->seen, slice_of(constants[i][0])) &&
        !prologue_is_users(r, constants[i][0]))
      text_printf(out, "#ifndef %s\n#define %s %s\n#endif\n", constants[i][0],
                  constants[i][0], constants[i][1]);
  for (size_t i = 0; i < COUNT(functions); i++)
    if (names_has(&r->seen, slice_of(functions[i][0])) &&
        !prologue_is_users(r, functions[i][0]))
      text_printf(out, "#ifndef %s\n#define %s%s\n#endif\n", functions[i][0],
                  functions[i][0], functions[i][1]);
  write_typeof(r, out);
  write_version(r, "CUDA_VERSION", out);
  write_version(r, "CUDART_VERSION", out);
  write_library(r, out);
}
