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

#include <autotune_abi.h>

#include <cxxabi.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>
#include <typeinfo>

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
  static const function f = &::autotune_launch_kernel
      ? &::autotune_launch_kernel
      : reinterpret_cast<function>(library_function("autotune_launch_kernel"));
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

template <class T_>
using bare = typename std::remove_cv<typename std::remove_reference<T_>::type>::type;
template <class T_> struct unrestricted {
  typedef T_ type;
};
template <class T_> struct unrestricted<T_ *__restrict__> {
  typedef T_ *type;
};
/* The type of a parameter that is declared as T_: arrays are pointers. */
template <class T_>
using held = typename unrestricted<typename std::decay<T_>::type>::type;

/* Returns the argument at address P, of a parameter that is declared as T_. */
template <class T_> held<T_> &argument(void *p) {
  return *static_cast<held<T_> *>(p);
}

/* ---- keys ------------------------------------------------------------------------ */

/* Without key(…), a kernel's key is its integers, the number of threads requested in each
 * direction, and the device. */
template <class T_> struct is_key {
  static constexpr bool value = std::is_integral<held<T_>>::value ||
      std::is_enum<held<T_>>::value;
};
template <class T_>
typename std::enable_if<is_key<T_>::value>::type add_key(long long *&key, T_ value) {
  *key++ = static_cast<long long>(value);
}
template <class T_>
typename std::enable_if<!is_key<T_>::value>::type add_key(long long *&, const T_ &) {
}
template <class T_> void add_key_name(const char **names, unsigned &n, const char *name) {
  if (is_key<T_>::value)
    names[n++] = name;
}
/* Returns the number of threads in one direction. */
inline long long threads(unsigned blocks, unsigned block) {
  return static_cast<long long>(blocks) * block;
}
/* Returns the ordinal of the current device; 0 if there is none. */
inline long long device() {
  int ordinal = 0;
  return cudaGetDevice(&ordinal) == cudaSuccess ? ordinal : 0;
}

/* ---- what arguments point to ----------------------------------------------------- */

struct element {
  const char *type; /* as typeid spells it; NULL: not known */
  autotune_element kind;
  size_t size; /* bytes of one part */
};
/* Returns how elements of TYPE are compared. SIZE is the size of the type in bytes. */
inline element element_of(const char *type, size_t size) {
  static const element known[] = {
    { "f", AUTOTUNE_F32, 4 },
    { "d", AUTOTUNE_F64, 8 },
    { "6float1", AUTOTUNE_F32, 4 },
    { "6float2", AUTOTUNE_F32, 4 },
    { "6float3", AUTOTUNE_F32, 4 },
    { "6float4", AUTOTUNE_F32, 4 },
    { "7double1", AUTOTUNE_F64, 8 },
    { "7double2", AUTOTUNE_F64, 8 },
    { "7double3", AUTOTUNE_F64, 8 },
    { "7double4", AUTOTUNE_F64, 8 },
    { "6__half", AUTOTUNE_F16, 2 },
    { "7__half2", AUTOTUNE_F16, 2 },
    { "DF16_", AUTOTUNE_F16, 2 },
    { "Dh", AUTOTUNE_F16, 2 },
    { "13__nv_bfloat16", AUTOTUNE_BF16, 2 },
    { "14__nv_bfloat162", AUTOTUNE_BF16, 2 },
    { "DF16b", AUTOTUNE_BF16, 2 },
    { "St7complexIfE", AUTOTUNE_F32, 4 },
    { "St7complexIdE", AUTOTUNE_F64, 8 },
  };
  for (size_t i = 0; type && i < sizeof known / sizeof *known; i++)
    if (strcmp(type, known[i].type) == 0)
      return known[i];
  return { type, AUTOTUNE_BYTES, size };
}
#if defined(__GXX_RTTI) || defined(__RTTI)
template <class T_> const char *type_of() {
  return typeid(T_).name();
}
#else /* -fno-rtti: only floating-point types are known */
template <class T_> const char *type_of() {
  return std::is_same<T_, float>::value ? "f"
      : std::is_same<T_, double>::value ? "d"
                                        : nullptr;
}
#endif
/* Converts to T_ and to no other type, so that it initialises members of type T_ alone.
 */
template <class T_> struct only {
  template <class U_, class = typename std::enable_if<std::is_same<U_, T_>::value>::type>
  operator U_() const;
};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
/* True if S_ is an aggregate of N_ members T_, those of structs and arrays in it counted.
 * A union in it counts as its first member. */
template <class S_, class T_, size_t N_, class... A_>
struct is_made_of : is_made_of<S_, T_, N_ - 1, A_..., only<T_>> {};
template <class S_, class T_, class... A_> struct is_made_of<S_, T_, 0, A_...> {
  template <class U_, class = decltype(U_{ A_()... })> static std::true_type test(int);
  template <class U_> static std::false_type test(...);
  static constexpr bool value = decltype(test<S_>(0))::value;
};
#pragma GCC diagnostic pop
/* True if S_ is a struct of nothing but T_, at most 64 of them. */
template <class S_, class T_,
          bool = std::is_class<S_>::value && std::is_trivially_copyable<S_>::value &&
              sizeof(S_) % sizeof(T_) == 0 && sizeof(S_) / sizeof(T_) <= 64>
struct is_only : is_made_of<S_, T_, sizeof(S_) / sizeof(T_)> {};
template <class S_, class T_> struct is_only<S_, T_, false> {
  static constexpr bool value = false;
};
/* Returns how elements T_ are compared: `struct { float re, im; }` as floats. */
template <class T_> element element_type() {
  element e = element_of(type_of<T_>(), sizeof(T_));
  if (e.kind == AUTOTUNE_BYTES && is_only<T_, float>::value)
    return { e.type, AUTOTUNE_F32, sizeof(float) };
  if (e.kind == AUTOTUNE_BYTES && is_only<T_, double>::value)
    return { e.type, AUTOTUNE_F64, sizeof(double) };
  return e;
}
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
/* ---- launches -------------------------------------------------------------------- */

/* Returns the first part of a size "16x16x2" and moves TEXT past it; 1 if there is
 * none. */
inline unsigned next_size(const char *&text) {
  unsigned size = 0;
  if (*text < '0' || *text > '9')
    return 1;
  for (; *text >= '0' && *text <= '9'; text++)
    size = size * 10 + static_cast<unsigned>(*text - '0');
  text += *text == 'x';
  return size;
}
inline autotune_dim3 read_size(const char *text) {
  autotune_dim3 d;
  d.x = next_size(text);
  d.y = next_size(text);
  d.z = next_size(text);
  return d;
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
  long long all = threads(blocks, threads_of);
  return block > 0 && (ceil || all % block == 0) &&
      set_size(out, (all + block - 1) / block, limit);
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

/* Implements `locate` of struct autotune_gpu_symbol. */
template <class T_> int locate(const T_ &symbol, void **address, size_t *bytes) {
  cudaError_t error = cudaGetSymbolAddress(address, symbol);
  if (error == cudaSuccess)
    error = cudaGetSymbolSize(bytes, symbol);
  return static_cast<int>(error);
}

/* ---- instances of templates ------------------------------------------------------ */

/* One instance of a template: its name "k<float, 16>", and the lines "#define AUTOTUNE_T0
 * float" that make the unit's text the text of that instance. If memory runs out both are
 * cut short, which only makes variants fail. */
class instance {
  char *name_ = nullptr, *lines_ = nullptr;
  unsigned n_ = 0;
  bool known_ = true; /* its types can be spelled */

  static void add(char *&to, const char *text) {
    size_t old = to ? strlen(to) : 0, more = strlen(text);
    char *grown = static_cast<char *>(realloc(to, old + more + 1));
    if (!grown)
      return;
    memcpy(grown + old, text, more + 1);
    to = grown;
  }
  void add_argument(const char *text) {
    char define[48];
    snprintf(define, sizeof define, "#define AUTOTUNE_T%u ", n_);
    add(lines_, define);
    add(lines_, text);
    add(lines_, "\n");
    add(name_, n_++ ? ", " : "<");
    add(name_, text);
  }
  /* True for local classes and closures, which have no name that the unit could use. */
  static bool is_nameless(const char *mangled, const char *text) {
    return *mangled == 'Z' || strstr(mangled, "IZ") || strchr(text, '{') ||
        strchr(text, '(') || strchr(text, '\'');
  }
  static void drop(char *text, const char *part) {
    for (char *p; (p = strstr(text, part)) != nullptr;)
      memmove(p, p + strlen(part), strlen(p + strlen(part)) + 1);
  }

public:
  instance(const instance &) = delete;
  instance &operator=(const instance &) = delete;
  explicit instance(const char *kernel) {
    add(name_, kernel);
  }
  template <class T_> instance &type() {
    int status = 0;
    const char *mangled = type_of<T_>();
    char *text = mangled ? abi::__cxa_demangle(mangled, nullptr, nullptr, &status)
                         : nullptr;
    if (text)
      drop(text, "(anonymous namespace)::");
    known_ = known_ && text && !is_nameless(mangled, text);
    add_argument(text ? text : "?");
    free(text);
    return *this;
  }
  template <class T_, class = typename std::enable_if<is_key<T_>::value>::type>
  instance &value(T_ v) {
    char text[32];
    snprintf(text, sizeof text, "%lld", static_cast<long long>(v));
    add_argument(text);
    return *this;
  }
  instance &value(...) {
    known_ = false;
    add_argument("?");
    return *this;
  }
  instance &end() {
    if (n_)
      add(name_, ">");
    return *this;
  }
  /* Both texts live until the process ends, because the runtime keeps them. NULL: the
   * unit cannot name the instance's types. */
  const char *name() const {
    return name_ ? name_ : "?";
  }
  const char *lines() const {
    return !known_ ? nullptr : lines_ ? lines_ : "";
  }
};

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
