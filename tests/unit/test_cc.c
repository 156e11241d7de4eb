// SPDX-License-Identifier: Apache-2.0
// `autotune cc` without a compiler: reading its command line, directives, includes,
// headers put inline.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cc/cc.h"
#include "front/lang/language.h"

#define READ(...) read_line((const char *[]){ __VA_ARGS__, NULL })

static struct cc_command *read_line(const char **words) {
  int argc = 0;
  while (words[argc])
    argc++;
  char **argv = arena_alloc(((size_t)argc + 1) * sizeof *argv);
  for (int i = 0; i < argc; i++)
    argv[i] = arena_copy(words[i], strlen(words[i]));
  return cc_command_read(argc, argv, false);
}

// "D:-DX I:a.c …": the class of each argument by a letter, and its words.
static const char *classes(const struct cc_command *c) {
  static const char letters[] = {
    [CC_OTHER] = '.',    [CC_INPUT] = 'i',      [CC_OUTPUT] = 'o', [CC_MODE] = 'm',
    [CC_LANGUAGE] = 'x', [CC_PREPROCESS] = 'p', [CC_CODE] = 'c',   [CC_OPENMP] = 'O',
    [CC_DEPEND] = 'd',   [CC_TARGET] = 't',     [CC_TEMPS] = 's',  [CC_LINK] = 'l',
    [CC_HAND_ON] = '!'
  };
  struct text t = { 0 };
  for (unsigned i = 0; i < c->n_args; i++) {
    const struct cc_arg *a = &c->args[i];
    text_printf(&t, "%s%c:%s%s%s", i ? " " : "", letters[a->class], a->words[0],
                a->words[1] ? "+" : "", a->words[1] ? a->words[1] : "");
  }
  return t.data ? t.data : "";
}

static void reads_options(void **state) {
  (void)state;
  struct {
    const char *expected;
    struct cc_command *c;
  } rows[] = {
    { "m:-c i:a.c o:-o+b.o", READ("gcc", "-c", "a.c", "-o", "b.o") },
    { "o:-ob.o", READ("gcc", "-ob.o") },
    { "p:-DX p:-D+X=1 p:-Iinc p:-I+inc",
      READ("gcc", "-DX", "-D", "X=1", "-Iinc", "-I", "inc") },
    { "p:-include+a.h p:-iquote+x p:-iquotex",
      READ("gcc", "-include", "a.h", "-iquote", "x", "-iquotex") },
    { "p:-isystem+x p:-idirafter+y", READ("gcc", "-isystem", "x", "-idirafter", "y") },
    { "c:-std=c99 c:-march=native c:-fPIC c:-O2",
      READ("gcc", "-std=c99", "-march=native", "-fPIC", "-O2") },
    { "O:-fopenmp O:-fopenmp=libomp c:-fopenmp-simd",
      READ("gcc", "-fopenmp", "-fopenmp=libomp", "-fopenmp-simd") },
    { "m:-fsyntax-only c:-fno-x", READ("gcc", "-fsyntax-only", "-fno-x") },
    { "d:-MD d:-MF+f t:-MT+t t:-MP", READ("gcc", "-MD", "-MF", "f", "-MT", "t", "-MP") },
    { "d:-Wp,-MMD,f p:-Wp,-DX .:-Wall l:-Wl,-z,now",
      READ("gcc", "-Wp,-MMD,f", "-Wp,-DX", "-Wall", "-Wl,-z,now") },
    { "l:-lm l:-l+m l:-L. l:-shared l:-static-libgcc",
      READ("gcc", "-lm", "-l", "m", "-L.", "-shared", "-static-libgcc") },
    { ".:-emit-llvm .:-g3 .:-v .:--param+x=1",
      READ("clang", "-emit-llvm", "-g3", "-v", "--param", "x=1") },
    { "x:-xc i:- x:-x+none", READ("gcc", "-xc", "-", "-x", "none") },
    { ".:-- i:-weird.c", READ("clang", "--", "-weird.c") },
    { "!:-o", READ("gcc", "-o") },
    { "!:-M !:--version !:-###", READ("gcc", "-M", "--version", "-###") },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_string_equal(classes(rows[i].c), rows[i].expected);
}

static void understands_them(void **state) {
  (void)state;
  struct cc_command *c = READ("gcc", "-S", "-E", "-c", "a.c");
  assert_int_equal(c->mode, CC_MODE_PREPROCESS);
  c = READ("/usr/bin/clang-22", "-x", "c", "a.inc", "-x", "none", "b.cc", "c.s", "d.o",
           "e.c", "-lm");
  assert_true(c->clang);
  assert_int_equal(c->n_inputs, 5);
  assert_int_equal(c->n_sources, 4);
  assert_ptr_equal(c->inputs[0].written_in, &language_c);
  assert_ptr_equal(c->inputs[1].written_in, &language_cxx);
  assert_int_equal(c->inputs[3].kind, CC_BINARY);
  assert_ptr_equal(c->inputs[4].written_in, &language_c);
  assert_ptr_equal(READ("g++", "a.c")->inputs[0].written_in, &language_cxx);
  assert_int_equal(READ("g++", "a.hpp")->inputs[0].kind, CC_OTHER_SOURCE);
  assert_ptr_equal(READ("gcc", "a.cpp")->inputs[0].written_in, &language_cxx);
  c = READ("ccache", "x86_64-linux-gnu-gcc", "-c", "a.c");
  assert_int_equal(c->compiler.n, 2);
  assert_int_equal(c->n_args, 2);
  assert_true(READ("gcc", "-fopenmp")->openmp);
  assert_false(READ("gcc", "-fopenmp", "-fno-openmp")->openmp);
  c = READ("gcc", "-Wp,-MD,x.d", "-c", "a.c");
  assert_string_equal(c->depend_file, "x.d");
  assert_true(c->depend && c->depend_raw && !c->depend_user);
}

static void reads_nvcc(void **state) {
  (void)state;
  struct {
    const char *expected;
    struct cc_command *c;
  } rows[] = {
    { "m:-c i:a.cu o:-o+b.o", READ("nvcc", "-c", "a.cu", "-o", "b.o") },
    { "m:--device-c i:a.cu o:--output-file=b.o",
      READ("nvcc", "--device-c", "a.cu", "--output-file=b.o") },
    { "c:-arch=sm_90 c:-arch+sm_90 c:--gpu-architecture=sm_90",
      READ("nvcc", "-arch=sm_90", "-arch", "sm_90", "--gpu-architecture=sm_90") },
    { "c:-gencode+arch=compute_80,code=sm_80 c:--generate-code=arch=compute_90,code=[sm_90]",
      READ("nvcc", "-gencode", "arch=compute_80,code=sm_80",
           "--generate-code=arch=compute_90,code=[sm_90]") },
    { "p:-DX p:-D+X=1 p:-D=X p:--define-macro+X p:-Iinc p:-I+inc p:-isystem=inc",
      READ("nvcc", "-DX", "-D", "X=1", "-D=X", "--define-macro", "X", "-Iinc", "-I",
           "inc", "-isystem=inc") },
    { "c:-Xcompiler+-fopenmp,-Wall c:--compiler-options=-O3 c:-std=c++17 c:--std+c++20 c:-rdc=true",
      READ("nvcc", "-Xcompiler", "-fopenmp,-Wall", "--compiler-options=-O3", "-std=c++17",
           "--std", "c++20", "-rdc=true") },
    { "d:-MD d:-MF+f t:-MT+t x:-x+cu l:-lcublas l:-l+m l:-Xlinker+-rpath l:-dlink",
      READ("nvcc", "-MD", "-MF", "f", "-MT", "t", "-x", "cu", "-lcublas", "-l", "m",
           "-Xlinker", "-rpath", "-dlink") },
    { "c:-use_fast_math c:--use_fast_math .:-lineinfo c:--ptxas-options=-v .:-Wall c:-O3 c:-ccbin+g++",
      READ("nvcc", "-use_fast_math", "--use_fast_math", "-lineinfo", "--ptxas-options=-v",
           "-Wall", "-O3", "-ccbin", "g++") },
    { "!:-M !:--version !:--dryrun !:-o",
      READ("nvcc", "-M", "--version", "--dryrun", "-o") },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_string_equal(classes(rows[i].c), rows[i].expected);
}

static void understands_nvcc(void **state) {
  (void)state;
  struct cc_command *c = READ("/usr/local/cuda/bin/nvcc", "-ptx", "a.cu", "b.c", "c.o",
                              "-include=x,y", "-I", "p,q", "-maxrregcount", "64",
                              "-Xcompiler=-DH,-Wall", "--use_fast_math", "-Xptxas", "-v",
                              "-DA=1");
  struct words cuda = { 0 }, host = { 0 };
  assert_true(c->nvcc);
  assert_int_equal(c->mode, CC_MODE_ASSEMBLE);
  assert_int_equal(c->n_sources, 2);
  assert_ptr_equal(c->inputs[0].written_in, &language_cuda);
  assert_ptr_equal(c->inputs[1].written_in, &language_c);
  cc_nvcc_translator_args(c, &language_cuda, &cuda);
  cc_nvcc_translator_args(c, &language_c, &host);
  static const char *const expected[] = {
    "-include",         "x",   "-include",       "y",          "-Ip",  "-Iq",
    "-maxrregcount=64", "-DH", "-use_fast_math", "-Xptxas=-v", "-DA=1"
  };
  assert_int_equal(cuda.n, sizeof expected / sizeof *expected);
  for (unsigned i = 0; i < cuda.n; i++)
    assert_string_equal(cuda.list[i], expected[i]);
  assert_int_equal(host.n, 9);
  assert_string_equal(host.list[7], "-Wall");
  assert_true(READ("nvcc", "-dlink", "a.o")->relocatable);
  assert_ptr_equal(READ("clang++", "-x", "cuda", "a.cpp")->inputs[0].written_in,
                   &language_cuda);
  assert_ptr_equal(READ("nvcc", "-x=cu", "a.cpp")->inputs[0].written_in, &language_cuda);
}

static void turns_nvcc_into_clang(void **state) {
  (void)state;
  static const struct {
    const char *word, *next;
    unsigned takes; // words
    const char *expected;
  } rows[] = {
    { "-O3", "x", 1, " -O3" },
    { "--optimize", "2", 2, " -O2" },
    { "--output-file=a,b", "x", 1, " -oa,b" },
    { "-o", "x", 2, " -ox" },
    { "-std=c++17", "x", 1, " -std=c++17" },
    { "-I", "inc", 2, " -Iinc" },
    { "--define-macro=A=1", NULL, 1, " -DA=1" },
    { "-include", "a.h,b.h", 2, " -include a.h -include b.h" },
    { "-Xcompiler", "-fopenmp,-Wall", 2, " -fopenmp -Wall" },
    { "--linker-options=-z,now", "x", 1, " -Xlinker -z -Xlinker now" },
    { "-dc", "a.cu", 1, " -c" },
    { "--options-file", "words", 2, " @words" },
    { "-arch", "sm_80", 2, "" },
    { "--generate-code=arch=compute_80,code=sm_80", "x", 1, "" },
    { "-Xptxas", "-v", 2, "" },
    { "-lineinfo", "x", 1, "" },
    { "--forward-unknown-to-host-compiler", "x", 1, "" },
    { "-G", "x", 1, "" },
    { "-Wall", "x", 0, "" },
    { "-fopenmp", "x", 0, "" },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct words w = { 0 };
    struct text t = { 0 };
    text_add(&t, "", 0);
    assert_int_equal(cc_nvcc_emulate(rows[i].word, rows[i].next, &w), rows[i].takes);
    for (unsigned k = 0; k < w.n; k++)
      text_printf(&t, " %s", w.list[k]);
    assert_string_equal(t.data, rows[i].expected);
  }
}

static char folder[] = "/tmp/autotune-test-XXXXXX";

static const char *write_file(const char *name, const char *text) {
  const char *path = arena_printf("%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  return path;
}

static void reads_response_files(void **state) {
  (void)state;
  const char *inner = write_file("inner", "-Iin\n");
  const char *outer = write_file(
      "outer",
      arena_printf("-c 'a b.c'\t\"c\\\"d.c\" e\\ f.c ''\n@%s -DX=\"'y'\" @/not/there",
                   inner));
  struct cc_command *c = READ("gcc", arena_printf("@%s", outer));
  assert_string_equal(classes(c),
                      "m:-c i:a b.c i:c\"d.c i:e f.c i: p:-Iin p:-DX='y' i:@/not/there");
}

static void reads_options_files(void **state) {
  (void)state;
  const char *file = write_file("options", "-Iin -c \"a b.cu\"\n");
  assert_string_equal(classes(READ("nvcc", "--options-file", file, "-DX")),
                      "p:-Iin m:-c i:a b.cu p:-DX");
  assert_string_equal(classes(READ("nvcc", arena_printf("-optf=%s", file))),
                      "p:-Iin m:-c i:a b.cu");
}

static void finds_directives(void **state) {
  (void)state;
  static const char text[] =
      "// #include <no>\n"
      "  #  include <a//b> /* x\n*/\n"
      "char *s = \"/*\"; /*\n#include <no>\n*/ #define no\n" // a comment is a blank: not
                                                             // the first on its line
      "don't /* no comment: the literal goes on to the end of the line\n#error yes\n"
      "// continued \\\n#no\n"
      "#pragma \\\n once\n"
      "#endif";
  struct text found = { 0 };
  struct directive d;
  for (size_t at = 0; directive_next(slice_of(text), &at, &d);) {
    struct slice rest = slice_trim(d.rest);
    text_printf(&found, "%.*s[%.*s]", (int)d.word.size, d.word.data,
                rest.size > 6 && rest.data[0] == '<' ? 6 : (int)rest.size, rest.data);
  }
  assert_string_equal(found.data, "include[<a//b>]error[yes]pragma[once]endif[]");
}

static const char *inlined(const char *source, bool *conflict) {
  const char *path = write_file("a.c", source);
  struct cc_command *c =
      READ("gcc", arena_printf("-I%s", folder), "-c", arena_printf("%s", path));
  struct cc_headers *h = cc_headers_scan(c, path, slice_of(source), &language_c);
  assert_true(cc_headers_kernel(h));
  *conflict = h->conflict;
  struct text t = cc_headers_inline(h);
  // the folder's name differs each time
  struct text out = { 0 };
  for (const char *p = t.data, *q; *p; p = q) {
    q = strstr(p, folder);
    text_add(&out, p, q ? (size_t)(q - p) : strlen(p));
    q = q ? q + strlen(folder) : p + strlen(p);
  }
  return out.data;
}

static void guards_are_recognized(void **state) {
  (void)state;
  static const struct {
    const char *text;
    enum include_once once;
  } rows[] = {
    { "", ONCE_NOT },
    { "int a;\n# pragma once // said\n", ONCE_PRAGMA },
    { "#pragma once_more\n", ONCE_NOT },
    { "#ifndef A // its guard\n#define A 1\n#if B\n#else\n#endif\n#endif /* A */\n",
      ONCE_GUARD },
    { "/* c */\n#if !defined (A)\n#define A\n#endif\n", ONCE_GUARD },
    { "#if !defined A\n#define A\n#endif\n", ONCE_GUARD },
    { "#if !defined(A) && B\n#define A\n#endif\n", ONCE_NOT },
    { "#ifndef A\n#define AB\n#endif\n", ONCE_NOT },
    { "#ifdef A\n#define A\n#endif\n", ONCE_NOT },
    { "#ifndef A\n#define A\n#else\nint a;\n#endif\n", ONCE_NOT },
    { "#ifndef A\n#define A\n#endif\n#include <b.h>\n", ONCE_NOT },
    { "#ifndef A\n#define A\n", ONCE_NOT },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(include_once(slice_of(rows[i].text)), rows[i].once);
}

static void includes_find_files(void **state) {
  (void)state;
  const char *none = "/not/there", *path = write_file("plain.h", "int plain;\n");
  const char *one[] = { none }, *two[] = { folder };
  struct include_folders f = { one, two, 1, 1 };
  struct slice name = slice_of("plain.h");
  bool quoted;
  assert_string_equal(include_find(&f, none, name, true), path);
  assert_string_equal(include_find(&f, folder, slice_of(path), false), path);
  f.n_angle = 0;
  assert_string_equal(include_find(&f, folder, name, true), path);
  assert_null(include_find(&f, folder, name, false));
  assert_null(include_find(&f, NULL, name, true));
  f = (struct include_folders){ two, one, 1, 1 };
  assert_string_equal(include_find(&f, none, name, true), path);
  assert_null(include_find(&f, folder, name, false));
  assert_null(include_find(&f, folder, slice_of("."), true)); // a folder is no file
  assert_true(slice_is(include_name(slice_of("<a.h> // b"), &quoted), "a.h") && !quoted);
  assert_true(slice_is(include_name(slice_of("\"a.h\"\n"), &quoted), "a.h") && quoted);
  assert_int_equal(include_name(slice_of("MACRO"), &quoted).size, 0);
  assert_int_equal(include_name(slice_of("<a.h"), &quoted).size, 0);
}

static void puts_headers_inline(void **state) {
  (void)state;
  bool conflict;
  write_file("plain.h", "int plain;\n");
  write_file("k.h", "#ifndef K\n#define K\n#pragma autotune kernel\nint k;\n#endif");
  assert_string_equal(
      inlined(
          "#include \"plain.h\"\n#include \"k.h\"\nint a;\n#include \"k.h\"\nint b;\n",
          &conflict),
      "#include \"plain.h\"\n"
      "# 1 \"/k.h\" 1\n#ifndef K\n#define K\n#pragma autotune kernel\nint k;\n#endif\n# 3 \"/a.c\" 2\n"
      "int a;\n#include \"k.h\"\n# 5 \"/a.c\"\nint b;\n");
  assert_false(conflict);
  // lines are counted anew after a group that may be skipped
  assert_string_equal(
      inlined("#if X\n#include <k.h>\n#else\nint a;\n#endif\nint b;\n", &conflict),
      "#if X\n# 1 \"/k.h\" 1\n#ifndef K\n#define K\n#pragma autotune kernel\nint k;\n#endif\n# 3 \"/a.c\" 2\n"
      "#else\n# 4 \"/a.c\"\nint a;\n#endif\n# 6 \"/a.c\"\nint b;\n");
  // a cycle ends
  write_file("cycle.h", "#include \"cycle.h\"\n#pragma autotune kernel\n");
  assert_string_equal(inlined("#include \"cycle.h\"\n", &conflict),
                      "# 1 \"/cycle.h\" 1\n#include \"cycle.h\"\n# 2 \"/cycle.h\"\n"
                      "#pragma autotune kernel\n# 2 \"/a.c\" 2\n");
}

static void headers_count_once(void **state) {
  (void)state;
  static const char twice[] = "#include <o.h>\nint a;\n#include <o.h>\n";
  static const char *const texts[] = {
    "# pragma once // said\n#pragma autotune kernel\nint k;\n", // and no #include in it
    "/* c */\n#ifndef O // its guard\n#define O 1\n#pragma autotune kernel\nint k;\n#endif\n",
    "#if !defined (O)\n#define O\n#pragma autotune kernel\nint k;\n#endif /* O */\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    bool conflict;
    write_file("o.h", texts[i]);
    const char *t = inlined(twice, &conflict), *k = strstr(t, "int k;");
    assert_non_null(k);
    assert_null(strstr(k + 1, "int k;"));
    // the same text, wherever the header is on the disk
    assert_true(i > 0 || strstr(t, "#define AUTOTUNE_ONCE_o_h 1\n"));
  }
}

static void maps_lines(void **state) {
  (void)state;
  static const char text[] =
      "a\n# 1 \"b \\\"x\\\".h\" 1\nb\nb2\n# 3 \"a.c\" 2\nc\n#line 90\nd\n"
      "#line 7 \"g.y\"\ne\n";
  struct source *s = source_of("a.c", text, sizeof text - 1);
  struct {
    char at;
    unsigned line;
    const char *path;
  } rows[] = { { 'c', 3, "a.c" }, { 'd', 90, "a.c" }, { 'e', 7, "g.y" } };
  const char *path;
  assert_int_equal(source_where(s, 0, &path, NULL), 1);
  assert_string_equal(path, "a.c");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char line[] = { '\n', rows[i].at, '\n', '\0' };
    size_t offset = (size_t)(strstr(text, line) + 1 - text);
    assert_int_equal(source_where(s, offset, &path, NULL), rows[i].line);
    assert_string_equal(path, rows[i].path);
  }
  assert_int_equal(source_where(s, (size_t)(strstr(text, "b2") - text), &path, NULL), 2);
  assert_string_equal(path, "b \"x\".h");
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  static const char *const names[] = { "inner",   "outer", "options", "a.c",
                                       "plain.h", "k.h",   "cycle.h", "o.h" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unlink(arena_printf("%s/%s", folder, names[i]));
  arena_reset();
  return rmdir(folder);
}

// Returns how often TEXT holds WORD.
static unsigned times(const struct text *text, const char *word) {
  unsigned n = 0;
  for (const char *p = text->data; (p = strstr(p, word)) != NULL; p++)
    n++;
  return n;
}

static void marks_hot_kernels(void **state) {
  (void)state;
  static const char text[] =
      "#pragma autotune kernel out(*x)\nvoid f(int *x) { *x = 1; }\n"
      "#pragma autotune kernel out(*x)\nvoid g(int *x) { *x = 2; }\n";
  static const char *const hot[] = { "g", NULL };
  struct compile_options o = cc_options("x.c", (char *[]){ NULL });
  struct text plain = { 0 }, marked = { 0 };
  assert_true(translate_source(source_of("x.c", text, strlen(text)), &o, &plain));
  assert_int_equal(times(&plain, ".when_hot"), 0);
  o.when_hot = hot;
  assert_true(translate_source(source_of("x.c", text, strlen(text)), &o, &marked));
  assert_int_equal(times(&marked, ".when_hot = 1"), 1);
  assert_int_equal(times(&plain, "autotune_gate"), 0);
  assert_int_equal(times(&marked, "if (autotune_gate_shut(&autotune_gate_"), 1);
  assert_int_equal(times(&marked, "  .gate = &autotune_gate_"), 1);
  const char *at = strstr(marked.data, ".when_hot = 1");
  assert_true(at > strstr(marked.data, "struct autotune_kernel autotune_kernel_g"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reads_options),
    cmocka_unit_test(understands_them),
    cmocka_unit_test(reads_nvcc),
    cmocka_unit_test(understands_nvcc),
    cmocka_unit_test(reads_options_files),
    cmocka_unit_test(reads_response_files),
    cmocka_unit_test(finds_directives),
    cmocka_unit_test(puts_headers_inline),
    cmocka_unit_test(turns_nvcc_into_clang),
    cmocka_unit_test(maps_lines),
    cmocka_unit_test(headers_count_once),
    cmocka_unit_test(includes_find_files),
    cmocka_unit_test(guards_are_recognized),
    cmocka_unit_test(marks_hot_kernels),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
