/* SPDX-License-Identifier: Apache-2.0 */
/* autotune.h: the library's functions for programs.
 *
 * A program needs none of them: `autotune cc` and the pragmas are enough. Include this
 * file to query results, to tune again, to wait, or to receive messages.
 *
 * Threads: all functions may be called from any thread at any time, but not from a
 *          signal handler.
 * Failure: is returned as a status. No function exits, aborts or prints.
 * Memory:  a returned string stays valid until the process ends, unless its function
 *          says otherwise.
 * KERNEL:  the name of the kernel's function. A kernel is known once its file is loaded
 *          and the kernel was called.
 * KEY:     an array of as many integers as the kernel has key expressions, in their
 *          order (`autotune check` lists them). NULL: the key of the kernel's last
 *          call. */
#ifndef AUTOTUNE_H
#define AUTOTUNE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef AUTOTUNE_API
#if defined(__GNUC__)
#define AUTOTUNE_API __attribute__((__visibility__("default")))
#else
#define AUTOTUNE_API
#endif
#endif

enum autotune_status {
  AUTOTUNE_OK = 0,
  AUTOTUNE_UNKNOWN_KERNEL,    /* no kernel of that name is in this process */
  AUTOTUNE_UNKNOWN_PARAMETER, /* the kernel has no parameter of that name */
  AUTOTUNE_NOT_TUNED,         /* no result for that key on this machine */
  AUTOTUNE_NO_MEMORY,
  AUTOTUNE_NO_STORE, /* the folder of results cannot be used; see the log */
  AUTOTUNE_TIMEOUT,
  AUTOTUNE_INVALID /* an argument is out of range */
};

/* Returns a short English text for STATUS. */
AUTOTUNE_API const char *autotune_status_text(enum autotune_status status);

/* Returns the library's name and version: "autotune 0.1.0". */
AUTOTUNE_API const char *autotune_version(void);

/* Sets *VALUE to the best known value of PARAMETER of KERNEL for KEY on this machine, as
 * the variant spells it ("64", "dynamic"), for use in other kernels. Looks in this
 * process, then in the store, and never tunes. Does not change *VALUE on failure. */
AUTOTUNE_API enum autotune_status autotune_best(const char *kernel, const long long *key,
                                                const char *parameter,
                                                const char **value);

/* Does the same for a parameter of integers. AUTOTUNE_INVALID: the value is not an
 * integer. */
AUTOTUNE_API enum autotune_status autotune_best_int(const char *kernel,
                                                    const long long *key,
                                                    const char *parameter,
                                                    long long *value);

/* Deletes the results of KERNEL (NULL: of all kernels of this process) for KEY (NULL: for
 * all keys), in this process and in the store: the next call tunes again. Calls that are
 * running finish with the variant they began with. */
AUTOTUNE_API enum autotune_status autotune_forget(const char *kernel,
                                                  const long long *key);

/* Waits until no kernel is being tuned in this process, at most SECONDS (negative:
 * without limit). AUTOTUNE_TIMEOUT: a kernel is still being tuned. */
AUTOTUNE_API enum autotune_status autotune_wait(double seconds);

/* Sets *TEXT to the reason why KERNEL runs its current variant for KEY: lines of English
 * ("tuned: 3.1 x over the default in 48 variants, …", "default: called inside a parallel
 * region", …). The caller releases the text with free(). Does not change *TEXT on
 * failure. */
AUTOTUNE_API enum autotune_status autotune_why(const char *kernel, const long long *key,
                                               char **text);

enum autotune_level { AUTOTUNE_ERROR, AUTOTUNE_WARN, AUTOTUNE_INFO, AUTOTUNE_DEBUG };

/* Receives one message, without a newline; MESSAGE is valid during the call only. Calls
 * come from any thread, one at a time. The function must not call a kernel. DATA is the
 * pointer that was given to autotune_set_log. */
typedef void autotune_log_fn(enum autotune_level level, const char *message, void *data);

/* Sends messages up to the level of AUTOTUNE_LOG (by default AUTOTUNE_WARN) to FN instead
 * of standard error. FN NULL: to standard error again. */
AUTOTUNE_API void autotune_set_log(autotune_log_fn *fn, void *data);

#ifdef __cplusplus
}
#endif
#endif
