/* SPDX-License-Identifier: Apache-2.0 */
/* autotune_cuda.h: used by translated .cu files besides autotune_abi.h. Programs do not
 * include it.
 *
 * For each kernel `autotune cc` writes a class with everything that the runtime must
 * know, and a function autotune_launch_KERNEL, which every launch of the kernel becomes a
 * call of. This file has the parts that are the same for all kernels. Templates find the
 * facts that only C++ can tell, such as which arguments are integers.
 *
 * C++11, for nvcc, clang++ and the emulator. Everything is inline or a template, and
 * needs only the runtime API and the C++ library's language support. Launches may come
 * from any thread; nothing here throws. */
#ifndef AUTOTUNE_CUDA_H
#define AUTOTUNE_CUDA_H

#include <autotune_cxx.h>

#include <dlfcn.h>
#include <stdio.h>

#include <cuda_runtime.h>

/* As AUTOTUNE_GENERATED, for warnings of nvcc's own front end. */
#if defined(__CUDACC__) && !defined(__clang__)
#define AUTOTUNE_GENERATED_CUDA                                 \
  _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 177") \
      _Pragma("nv_diag_suppress 550")
#define AUTOTUNE_AS_WRITTEN_CUDA _Pragma("nv_diagnostic pop")
#else
#define AUTOTUNE_GENERATED_CUDA
#define AUTOTUNE_AS_WRITTEN_CUDA
#endif

/* Weak, because a build that is not linked through `autotune cc` (CMake has no
 * launcher for linking CUDA) need not name the library: the library is opened at the
 * first launch. */
extern "C" {
extern __typeof__(autotune_launch_kernel) autotune_launch_kernel
    __attribute__((__weak__));
extern __typeof__(autotune_site_close) autotune_site_close __attribute__((__weak__));
}

struct CUtensorMap_st; /* CUtensorMap of cuda.h */

namespace autotune {

/* ---- the library ----------------------------------------------------------------- */

/* Opens libautotune from the loader's path, else from the lib folders near this header's
 * folder. Returns NULL and warns if neither has it. */
inline void *open_library() {
  static const char *const nearby[] = { "../lib", "../lib/x86_64-linux-gnu",
                                        "../lib/aarch64-linux-gnu", "../lib64" };
  const char *slash = strrchr(__FILE__, '/');
  void *library = dlopen("libautotune.so.0", RTLD_NOW | RTLD_GLOBAL);
  for (unsigned i = 0; !library && slash && i < sizeof nearby / sizeof *nearby; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%.*s/%s/libautotune.so",
             static_cast<int>(slash - __FILE__), __FILE__, nearby[i]);
    library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  }
  if (!library)
    fprintf(stderr,
            "autotune: warning: libautotune.so cannot be opened (set LD_LIBRARY_PATH, or "
            "link with it): CUDA kernels run as they are\n");
  return library;
}

/* Returns a function of the library, which is opened once. NULL: the library cannot be
 * opened or lacks the function. */
inline void *library_function(const char *name) {
  static void *const library = open_library();
  return library ? dlsym(library, name) : nullptr;
}

/* Calls autotune_launch_kernel. Returns AUTOTUNE_LAUNCH_DEFAULT without the library. */
inline int launch_kernel(autotune_site *site, const long long *key, void *const *args,
                         const autotune_launch *asked) {
  typedef decltype(&::autotune_launch_kernel) function;
  if (&::autotune_launch_kernel)
    return ::autotune_launch_kernel(site, key, args, asked);
  static const function f =
      reinterpret_cast<function>(library_function("autotune_launch_kernel"));
  return f ? f(site, key, args, asked) : AUTOTUNE_LAUNCH_DEFAULT;
}

/* Calls autotune_site_close. Does nothing without the library. */
inline void close_site(autotune_site *site) {
  typedef decltype(&::autotune_site_close) function;
  function f = &::autotune_site_close
      ? &::autotune_site_close
      : reinterpret_cast<function>(library_function("autotune_site_close"));
  if (f)
    f(site);
}

/* ---- keys ------------------------------------------------------------------------ */

/* Without key(…), a kernel's key is its integers, the number of threads requested in each
 * direction, and the device. */
/* Returns the number of threads in one direction. */
inline long long threads(unsigned blocks, unsigned block) {
  return static_cast<long long>(blocks) * block;
}
/* Returns the ordinal of the current device; 0 if there is none. The driver is asked only
 * where there are several. */
inline bool has_devices() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) != cudaSuccess || devices > 1;
}
inline long long device() {
  static const bool several = has_devices();
  int ordinal = 0;
  if (!several)
    return 0;
  return cudaGetDevice(&ordinal) == cudaSuccess ? ordinal : 0;
}

/* ---- what arguments point to ----------------------------------------------------- */

/* How the target of a pointer is compared. Types that are declared but not defined are
 * compared as bytes. */
template <class T_, class = void> struct pointed {
  static autotune_element kind() {
    return AUTOTUNE_BYTES;
  }
};
template <class T_>
struct pointed<
    T_,
    typename std::enable_if<std::is_arithmetic<T_>::value ||
                            (std::is_class<T_>::value && sizeof(T_) != 0)>::type> {
  static autotune_element kind() {
    return element_type<T_>().kind;
  }
};
/* The same for an argument that points to T_, and whether a kernel may write the target.
 * If T_ is a pointer: the element that T_ points to, marked as addresses. */
template <class T_> struct element_at {
  typedef
      typename std::conditional<std::is_object<T_>::value, bare<T_>, char>::type object;
  static constexpr bool written = !std::is_const<T_>::value &&
      !std::is_function<T_>::value;
  static autotune_element kind() {
    return pointed<object>::kind();
  }
};
template <class T_> struct element_of_address : element_at<T_> {
  static constexpr bool written = true;
  static autotune_element kind() {
    const int what = std::is_pointer<T_>::value ? AUTOTUNE_DEEP_ADDRESSES
        : std::is_const<T_>::value              ? AUTOTUNE_CONST_ADDRESSES
                                                : AUTOTUNE_ADDRESSES;
    return static_cast<autotune_element>(element_at<T_>::kind() | what);
  }
};
template <class T_> struct pointed_by : element_at<T_> {};
template <class T_>
struct pointed_by<T_ *> : std::conditional<std::is_function<T_>::value, element_at<T_ *>,
                                           element_of_address<T_>>::type {};
template <class T_> struct pointed_by<T_ *const> : pointed_by<T_ *> {};
template <class T_> struct pointed_by<T_ *__restrict__> : pointed_by<T_ *> {};
template <class T_> struct pointed_by<T_ *__restrict__ const> : pointed_by<T_ *> {};
/* Adds argument INDEX, declared as T_, to the N arguments that a kernel may write
 * through. */
template <class T_>
void add_written(unsigned *indices, autotune_element *elements, unsigned &n,
                 unsigned index) {
  typedef typename std::remove_pointer<held<T_>>::type target;
  if (!std::is_pointer<held<T_>>::value || !pointed_by<target>::written)
    return;
  elements[n] = pointed_by<target>::kind();
  indices[n++] = index;
}

/* What an argument declared as T_ is: enum autotune_arg_kind. */
template <class T_> constexpr int arg_kind() {
  return std::is_pointer<held<T_>>::value                     ? AUTOTUNE_ARG_POINTER
      : std::is_same<bare<held<T_>>, ::CUtensorMap_st>::value ? AUTOTUNE_ARG_TENSOR_MAP
                                                              : AUTOTUNE_ARG_OTHER;
}

/* Lets the compiler check that a value can become an argument declared as T_. (A function
 * template would make it say that no function matches.) */
template <class T_> struct checked {
  static void argument(const held<T_> &) {
  }
};

/* True if every bit of an object of type T_ counts, so that equal values have equal
 * bytes: no padding, as structures and long double have it. */
template <class T_> constexpr bool bits_count() {
#if __cplusplus >= 201703L
  return std::is_same<T_, ::CUtensorMap_st>::value || std::is_scalar<T_>::value
      ? !std::is_same<T_, long double>::value
      : std::has_unique_object_representations<T_>::value;
#else
  return (std::is_same<T_, ::CUtensorMap_st>::value || std::is_scalar<T_>::value) &&
      !std::is_same<T_, long double>::value;
#endif
}

/* ---- launches -------------------------------------------------------------------- */

/* Reads a size "16x16x2" when the program is compiled; parts that are not there are 1. */
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr const char *next_size(const char *text) {
  return is_digit(*text) ? next_size(text + 1) : text + (*text == 'x');
}
constexpr unsigned size_at(const char *text, unsigned before) {
  return is_digit(*text) ? size_at(text + 1, before * 10 + unsigned(*text - '0'))
                         : before;
}
constexpr unsigned first_size(const char *text) {
  return is_digit(*text) ? size_at(text, 0) : 1;
}
constexpr autotune_dim3 read_size(const char *text) {
  return { first_size(text), first_size(next_size(text)),
           first_size(next_size(next_size(text))) };
}

/* Sets OUT to a size of a grid or a block. False: VALUE is not in 1 … LIMIT. */
inline bool set_size(unsigned &out, long long value, long long limit) {
  out = static_cast<unsigned>(value);
  return value >= 1 && value <= limit;
}

/* Sets OUT to the number of blocks of BLOCK threads that hold BLOCKS times THREADS_OF
 * threads, which were requested. False: the threads do not divide into such blocks and
 * CEIL does not allow a partial block, or there are more than LIMIT blocks. */
inline bool fit(unsigned &out, unsigned blocks, unsigned threads_of, unsigned block,
                bool ceil, long long limit) {
  if (block == threads_of)
    return set_size(out, blocks, limit);
  long long all = threads(blocks, threads_of);
  if (block == 0 || (!ceil && all % block != 0))
    return false;
  all += block - 1;
  bool power = (block & (block - 1)) == 0; /* most are, and a division takes time */
  return set_size(out, power ? all >> __builtin_ctz(block) : all / block, limit);
}

/* Launches KERNEL as it was written. Returns the cudaError_t. */
template <class... P_>
int launch(void (*kernel)(P_...), const autotune_launch *l, void *const *args) {
#ifdef AUTOTUNE_EMULATE_LAUNCH_H
  const void *address = reinterpret_cast<const void *>(::autotune_emulate::known(kernel));
#else
  const void *address = reinterpret_cast<const void *>(kernel);
#endif
  void *none = nullptr;
  return static_cast<int>(
      cudaLaunchKernel(address, dim3(l->grid.x, l->grid.y, l->grid.z),
                       dim3(l->block.x, l->block.y, l->block.z),
                       sizeof...(P_) ? const_cast<void **>(args) : &none, l->shared,
                       static_cast<cudaStream_t>(l->stream)));
}

/* Returns the launch that a program requested by k<<<grid, block, shared, stream>>>.
 * SHARED: bytes. */
inline autotune_launch asked(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM /* libautotune does not know how the program \
                                             was built */
  if (!stream)
    stream = cudaStreamPerThread;
#endif
  autotune_launch l = {
    { grid.x, grid.y, grid.z }, { block.x, block.y, block.z }, shared, stream
  };
  return l;
}

/* ---- launches through pointers --------------------------------------------------- */

/* A kernel that a launch may reach through its address. One for each file with the
 * kernel. */
struct by_address {
  typedef int function(const autotune_launch *, void *const *);
  const void *kernel;
  function *packed;
  by_address *next;

  static by_address *&all() {
    static by_address *first;
    return first;
  }
  static by_address *find(const void *kernel) {
    by_address *b = __atomic_load_n(&all(), __ATOMIC_ACQUIRE);
    while (b && b->kernel != kernel)
      b = b->next;
    return b;
  }
  by_address(const void *address, function *packed_)
      : kernel(address), packed(packed_),
        next(__atomic_load_n(&all(), __ATOMIC_ACQUIRE)) {
    while (!__atomic_compare_exchange_n(&all(), &next, this, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
      ;
  }
  by_address(const by_address &) = delete;
  by_address &operator=(const by_address &) = delete;
};

/* What `f<<<grid, block, shared, stream>>>` becomes: called with the kernel's arguments.
 */
template <class... P_> struct pointer_launch {
  void (*kernel)(P_...);
  autotune_launch asked;
  void operator()(P_... args) const {
    void *const list[] = { (void *)&args..., nullptr };
    by_address *known = by_address::find(reinterpret_cast<const void *>(kernel));
    (void)(known ? known->packed(&asked, list) : launch(kernel, &asked, list));
  }
};
template <class... P_>
pointer_launch<P_...> launcher(void (*kernel)(P_...), dim3 grid, dim3 block,
                               size_t shared = 0, cudaStream_t stream = nullptr) {
  return pointer_launch<P_...>{ kernel, asked(grid, block, shared, stream) };
}
/* What `cudaLaunchKernel(f, …)` becomes. */
template <class F_>
cudaError_t launch_pointer(F_ kernel, dim3 grid, dim3 block, void **args,
                           size_t shared = 0, cudaStream_t stream = nullptr) {
  by_address *known = by_address::find((const void *)kernel);
  if (!known)
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
  const autotune_launch l = asked(grid, block, shared, stream);
  return static_cast<cudaError_t>(known->packed(&l, args));
}

/* What `cudaLaunchKernelEx(&config, f, …)` becomes. A launch with attributes, such as the
 * size of a cluster, runs as written. */
#if CUDART_VERSION >= 12000 && !defined(AUTOTUNE_EMULATE_LAUNCH_H)
template <class... P_>
cudaError_t launch_values(const cudaLaunchConfig_t *config, void (*kernel)(P_...),
                          const by_address *known, P_... args) {
  void *const list[] = { (void *)&args..., nullptr };
  const autotune_launch l =
      asked(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
  return static_cast<cudaError_t>(known ? known->packed(&l, list)
                                        : launch(kernel, &l, list));
}
template <class... P_, class... A_>
cudaError_t launch_extended(const cudaLaunchConfig_t *config, void (*kernel)(P_...),
                            A_ &&...args) {
  const by_address *known = by_address::find(reinterpret_cast<const void *>(kernel));
  if (!known || config->numAttrs)
    return cudaLaunchKernelEx(config, kernel, static_cast<A_ &&>(args)...);
  return launch_values<P_...>(config, kernel, known, static_cast<A_ &&>(args)...);
}
#endif

/* Implements `locate` of struct autotune_gpu_symbol. */
template <class T_> int locate(const T_ &symbol, void **address, size_t *bytes) {
  cudaError_t error = cudaGetSymbolAddress(address, symbol);
  if (error == cudaSuccess)
    error = cudaGetSymbolSize(bytes, symbol);
  return static_cast<int>(error);
}

/* A site that is closed when the code of its file is unmapped. */
struct site {
  autotune_site s;
  explicit site(const autotune_kernel *kernel) : s() {
    s.kernel = kernel;
  }
  ~site() {
    close_site(&s);
  }
  site(const site &) = delete;
  site &operator=(const site &) = delete;
};

} // namespace autotune

#endif
