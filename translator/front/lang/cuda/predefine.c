// SPDX-License-Identifier: Apache-2.0
// predefine.c: writes the macros that the build's compilers define by themselves.
#include <string.h>

#include "front/include.h"
#include "items.h"

// Macros that nvcc and the host's compiler define by themselves, and NVRTC does not, so
// that an #if in a unit chooses as it does in the build.
static const struct {
  const char *name, *value;
  const char *option; // the option of the build that defines it; NULL: it always is
} predefined[] = {
  { "__NVCC__", "1", NULL },
  { "__OPTIMIZE__", "1", "-O" },
  { "_OPENMP", "201511", "-fopenmp" }, // of GCC since 6; Clang's: predefine_value
  { "__CUDACC_RDC__", "1", "-rdc=true" },
  { "__CUDACC_EXTENDED_LAMBDA__", "1", "-extended-lambda" },
  { "__CUDACC_EXTENDED_LAMBDA__", "1", "-expt-extended-lambda" },
  { "__CUDACC_RELAXED_CONSTEXPR__", "1", "-expt-relaxed-constexpr" },
  { "CUDA_API_PER_THREAD_DEFAULT_STREAM", "1", "-default-stream=per-thread" },
  { "__GNUC__", "12", NULL }, // a compiler that each nvcc since 12.0 takes
  { "__GNUC_MINOR__", "2", NULL },
  { "__GNUC_PATCHLEVEL__", "0", NULL },
  { "__GNUG__", "12", NULL },
  { "__linux", "1", NULL },
  { "__linux__", "1", NULL },
  { "__gnu_linux__", "1", NULL },
  { "__unix", "1", NULL },
  { "__unix__", "1", NULL },
#ifdef __x86_64__
  { "__x86_64", "1", NULL },
  { "__x86_64__", "1", NULL },
  { "__amd64__", "1", NULL },
#else
  { "__aarch64__", "1", NULL },
#endif
  { "_LP64", "1", NULL },
  { "__LP64__", "1", NULL },
  { "__CHAR_BIT__", "8", NULL },
  { "__SIZEOF_INT128__", "16", NULL },
  { "__SIZEOF_INT__", "4", NULL },
  { "__SIZEOF_LONG__", "8", NULL },
  { "__SIZEOF_POINTER__", "8", NULL },
  { "__SIZEOF_SIZE_T__", "8", NULL },
  { "__INT_MAX__", "2147483647", NULL },
  { "__LONG_MAX__", "9223372036854775807l", NULL },
  { "__FLT_MAX__", "3.402823466e+38f", NULL },
  { "__FLT_MIN__", "1.175494351e-38f", NULL },
  { "__FLT_EPSILON__", "1.192092896e-07f", NULL },
  { "__DBL_MAX__", "1.7976931348623157e+308", NULL },
  { "__DBL_EPSILON__", "2.2204460492503131e-16", NULL },
  { "__ORDER_LITTLE_ENDIAN__", "1234", NULL },
  { "__ORDER_BIG_ENDIAN__", "4321", NULL },
  { "__BYTE_ORDER__", "1234", NULL },
};

// True for -O, -O2, -Os, -O=3, -Ofast; not for others that begin so, such as nvcc's
// -Ofc=max.
static bool predefine_is_level(const char *option) {
  const char *level = option + 2 + (option[2] == '=');
  return strncmp(option, "-O", 2) == 0 &&
      (level[strspn(level, "0123456789")] == '\0' || strcmp(level, "fast") == 0 ||
       (strchr("sgz", level[0]) && level[1] == '\0'));
}

// True if the build has OPTION. The last of its kind holds: -O2 -O0, -fopenmp
// -fno-openmp.
static bool predefine_has_option(const struct compile_options *o, const char *option) {
  bool found = false;
  for (const char *const *a = o->args; a && *a; a++)
    if (strcmp(option, "-O") == 0 && predefine_is_level(*a))
      found = strcmp(*a, "-O0") != 0 && strcmp(*a, "-O=0") != 0;
    else if (strcmp(option, "-fopenmp") == 0 && strncmp(*a, "-fopenmp=", 9) == 0)
      found = true;
    else if (strcmp(option, "-fopenmp") == 0 && strcmp(*a, "-fno-openmp") == 0)
      found = false;
    else
      found = found || strcmp(*a, option) == 0;
  return found;
}

// Returns the name of the build's compiler; NULL: it is not known.
static const char *predefine_compiler(const struct compile_options *o) {
  const char *const *last = o->compiler;
  while (last && last[0] && last[1])
    last++;
  return last && *last ? path_name(*last) : NULL;
}

// True if the build's compiler is known and is not nvcc.
static bool predefine_other_compiler(const struct compile_options *o) {
  const char *name = predefine_compiler(o);
  return name && !strstr(name, "nvcc");
}

// Returns the definition of macro I in the build. Clang has OpenMP 5.1 since Clang 17, or
// what -fopenmp-version=45 says.
static const char *predefine_value(const struct compile_options *o, size_t i) {
  static const char *const versions[][2] = { { "45", "201511" },
                                             { "50", "201811" },
                                             { "51", "202011" },
                                             { "52", "202111" },
                                             { "60", "202411" } };
  const char *host = predefine_compiler(o), *value = predefined[i].value;
  for (const char *const *a = o->args; a && *a; a++)
    if (strncmp(*a, "-ccbin=", 7) == 0) // nvcc's host compiler
      host = path_name(*a + 7);
  if (strcmp(predefined[i].name, "_OPENMP") != 0 || !host || !strstr(host, "clang"))
    return value;
  value = "202011";
  for (const char *const *a = o->args; a && *a; a++)
    for (size_t n = 0; n < sizeof versions / sizeof *versions; n++)
      if (strncmp(*a, "-fopenmp-version=", 17) == 0 &&
          strcmp(*a + 17, versions[n][0]) == 0)
        value = versions[n][1];
  return value;
}

// An emulated unit needs none: Clang has the host's, and the program is not nvcc's.
void predefine_write(const struct cuda_reach *r, const struct compile_options *o,
                     bool defined, struct text *out) {
  for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++) {
    const char *name = predefined[i].name, *option = predefined[i].option;
    if (!names_has(&r->seen, slice_of(name)) || prologue_is_users(r, name) ||
        (option && !predefine_has_option(o, option)) ||
        (strcmp(name, "__NVCC__") == 0 && predefine_other_compiler(o)) || o->emulate)
      continue;
    if (defined)
      text_printf(out, "#ifndef %s\n#define %s %s\n#endif\n", name, name,
                  predefine_value(o, i));
    else
      text_printf(out, "#undef %s\n", name);
  }
}
