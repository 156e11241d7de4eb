/* SPDX-License-Identifier: Apache-2.0 */
/* orc.c: an object into this process through ORC's object layer and JITLink, by LLVM's C
 * interface.
 *
 * One LLJIT for the process, made when first needed, never disposed of (its destruction
 * at exit could abort); each object has a JITDylib of its own, so that all may define
 * autotune_entry. JITLink maps pages writable, fills them, then makes them executable:
 * never both. Everything runs in the calling thread: LLVM's thread pool would not survive
 * a fork. */
#include <dlfcn.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/OrcEE.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/resolve.h"
#include "internal.h"

struct jit_code {
  LLVMOrcJITDylibRef dylib;
  struct jit_code *next; /* in the list of those to use again */
};

/* All writable state of this file. Only one thread uses it (jit.h). */
static struct loader {
  LLVMOrcLLJITRef jit;
  LLVMOrcExecutionSessionRef session;
  struct jit_code *free; /* JITDylibs cannot be destroyed by the C interface */
  unsigned made;         /* so far: names must differ */
  const struct autotune_symbol *symbols; /* of the load that is going on */
  size_t n_symbols;
  char *error; /* what ORC reported during it, the first */
} loader;

static char *take_error(LLVMErrorRef error) {
  char *text = LLVMGetErrorMessage(error);
  char *message = message_of("%s", text);
  LLVMDisposeErrorMessage(text);
  return message;
}

static void report_error(void *context, LLVMErrorRef error) {
  (void)context;
  char *message = take_error(error);
  if (loader.error)
    free(message);
  else
    loader.error = message;
}

static LLVMOrcObjectLayerRef make_layer(void *context, LLVMOrcExecutionSessionRef session,
                                        const char *triple) {
  (void)context, (void)triple;
  LLVMOrcObjectLayerRef layer = NULL;
  LLVMErrorRef error =
      LLVMOrcCreateObjectLinkingLayerWithInProcessMemoryManager(&layer, session);
  if (error)
    report_error(NULL, error);
  return layer;
}

static int loader_start(char **message) {
  if (loader.jit)
    return 0;
  llvm_initialise();
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, make_layer, NULL);
  LLVMErrorRef error = LLVMOrcCreateLLJIT(&loader.jit, builder);
  if (error) {
    loader.jit = NULL;
    *message = take_error(error);
    return -1;
  }
  loader.session = LLVMOrcLLJITGetExecutionSession(loader.jit);
  LLVMOrcExecutionSessionSetErrorReporter(loader.session, report_error, NULL);
  return 0;
}

static const void *orc_find(const char *name) {
  const void *address = resolve_site(loader.symbols, loader.n_symbols, name);
  return address ? address : resolve_process(name);
}

/* Defines the names that a JITDylib lacks. ORC itself reports the names that are not
 * found. */
static LLVMErrorRef orc_generate(LLVMOrcDefinitionGeneratorRef generator, void *context,
                                 LLVMOrcLookupStateRef *state, LLVMOrcLookupKind kind,
                                 LLVMOrcJITDylibRef dylib,
                                 LLVMOrcJITDylibLookupFlags flags,
                                 LLVMOrcCLookupSet wanted, size_t n_wanted) {
  (void)generator, (void)context, (void)state, (void)kind, (void)flags;
  LLVMOrcCSymbolMapPair *found = malloc((n_wanted + 1) * sizeof *found);
  if (!found)
    return LLVMCreateStringError("out of memory");
  size_t n = 0;
  for (size_t i = 0; i < n_wanted; i++) {
    const void *address = orc_find(LLVMOrcSymbolStringPoolEntryStr(wanted[i].Name));
    if (!address)
      continue;
    LLVMOrcRetainSymbolStringPoolEntry(wanted[i].Name);
    found[n++] = (LLVMOrcCSymbolMapPair){ wanted[i].Name,
                                          { (LLVMOrcExecutorAddress)(uintptr_t)address,
                                            { LLVMJITSymbolGenericFlagsExported, 0 } } };
  }
  LLVMErrorRef error = LLVMErrorSuccess;
  if (n > 0) {
    LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(found, n);
    error = LLVMOrcJITDylibDefine(dylib, unit);
    if (error)
      LLVMOrcDisposeMaterializationUnit(unit);
  }
  free(found);
  return error;
}

static struct jit_code *orc_code_new(void) {
  struct jit_code *code = loader.free;
  if (code) {
    loader.free = code->next;
    return code;
  }
  code = malloc(sizeof *code);
  if (!code)
    return NULL;
  char name[32];
  snprintf(name, sizeof name, "variant%u", loader.made++);
  code->dylib = LLVMOrcExecutionSessionCreateBareJITDylib(loader.session, name);
  LLVMOrcJITDylibAddGenerator(
      code->dylib, LLVMOrcCreateCustomCAPIDefinitionGenerator(orc_generate, NULL, NULL));
  return code;
}

struct lookup {
  void *address;
  char *message;
};

static void looked_up(LLVMErrorRef error, LLVMOrcCSymbolMapPairs result, size_t n,
                      void *context) {
  struct lookup *lookup = context;
  if (error)
    lookup->message = take_error(error);
  else if (n > 0)
    lookup->address = (void *)(uintptr_t)result[0].Sym.Address;
}

static struct lookup orc_look_up(struct jit_code *code, const char *name) {
  LLVMOrcCJITDylibSearchOrderElement order = {
    code->dylib, LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly
  };
  LLVMOrcCLookupSetElement set = { LLVMOrcExecutionSessionIntern(loader.session, name),
                                   LLVMOrcSymbolLookupFlagsRequiredSymbol };
  struct lookup lookup = { NULL, NULL };
  LLVMOrcExecutionSessionLookup(loader.session, LLVMOrcLookupKindStatic, &order, 1, &set,
                                1, looked_up, &lookup);
  return lookup;
}

/* Facts about an object that are needed before ORC sees it. */
struct scan {
  const char *definition; /* a symbol that is visible outside */
  const char *thread_local_variable;
};

static bool scan_symbol(const struct elf_symbol *symbol, void *data) {
  struct scan *scan = data;
  if (symbol->thread_local_storage)
    scan->thread_local_variable = symbol->name;
  else if (!symbol->undefined && !symbol->local && !scan->definition)
    scan->definition = symbol->name;
  return !scan->thread_local_variable;
}

static int orc_check(const void *object, size_t size, struct scan *scan, char **message) {
  /* scan_symbol writes nothing: the cast is safe. */
  if (!elf_symbols((void *)(uintptr_t)object, size, scan_symbol, scan))
    *message = message_of("this is not an object file of this machine");
  else if (scan->thread_local_variable)
    *message = message_of("thread-local variable '%s' is not supported in a kernel",
                          scan->thread_local_variable);
  else if (!scan->definition)
    *message = message_of("the object defines nothing");
  else
    return 0;
  return -1;
}

struct callees {
  const struct autotune_symbol *symbols;
  size_t n;
  bool openmp; // functions of OpenMP's runtime count
  bool found;
};

static bool orc_see_callee(const struct elf_symbol *symbol, void *data) {
  struct callees *c = data;
  bool object = false;
  for (size_t i = 0; i < c->n; i++)
    object |= c->symbols[i].size > 0 && strcmp(c->symbols[i].name, symbol->name) == 0;
  c->found = symbol->undefined && !object &&
      !resolve_is_harmless(symbol->name, c->openmp);
  return !c->found;
}

bool orc_calls(const void *object, size_t size, const struct autotune_symbol *symbols,
               size_t n_symbols, bool openmp) {
  struct callees c = { symbols, n_symbols, openmp, false };
  bool whole = elf_symbols((void *)(uintptr_t)object, size, orc_see_callee, &c);
  return c.found || !whole;
}

/* Links CODE's object now rather than when it is first called. */
static int orc_materialise(struct jit_code *code, LLVMMemoryBufferRef buffer,
                           const char *definition, char **message) {
  LLVMErrorRef error = LLVMOrcLLJITAddObjectFile(loader.jit, code->dylib, buffer);
  if (error) {
    *message = take_error(error);
    return -1;
  }
  struct lookup lookup = orc_look_up(code, definition);
  if (!lookup.message)
    return 0;
  /* The lookup only says that linking failed; the error reporter has the reason. */
  if (loader.error) {
    *message = loader.error;
    loader.error = NULL;
    free(lookup.message);
  } else {
    *message = lookup.message;
  }
  return -1;
}

struct jit_code *orc_load(const void *object, size_t size,
                          const struct autotune_symbol *symbols, size_t n_symbols,
                          char **message) {
  struct scan scan = { NULL, NULL };
  *message = NULL;
  if (orc_check(object, size, &scan, message) != 0 || loader_start(message) != 0)
    return NULL;
  struct jit_code *code = orc_code_new();
  if (!code) {
    *message = message_of("out of memory");
    return NULL;
  }
  loader.symbols = symbols;
  loader.n_symbols = n_symbols;
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, "variant");
  int status = orc_materialise(code, buffer, scan.definition, message);
  loader.symbols = NULL;
  loader.n_symbols = 0;
  free(loader.error);
  loader.error = NULL;
  if (status == 0)
    return code;
  orc_unload(code);
  return NULL;
}

void *orc_symbol(struct jit_code *code, const char *name) {
  struct lookup lookup = orc_look_up(code, name);
  free(lookup.message);
  return lookup.address;
}

void orc_unload(struct jit_code *code) {
  if (!code)
    return;
  LLVMErrorRef error = LLVMOrcJITDylibClear(code->dylib);
  if (error) { /* the JITDylib is not used again */
    LLVMConsumeError(error);
    free(code);
    return;
  }
  code->next = loader.free;
  loader.free = code;
}
