/* SPDX-License-Identifier: Apache-2.0 */
/* autotune_cxx.h: used by translated files of C++ besides autotune_abi.h, and by
 * autotune_cuda.h. Programs do not include it.
 *
 * For each kernel `autotune cc` writes a class with everything that the runtime must
 * know. This file has the parts that are the same for all kernels. Templates find the
 * facts that only C++ can tell, such as which arguments are integers.
 *
 * C++11. Everything is inline or a template, and needs only the C++ library's language
 * support. From any thread; nothing here throws. */
#ifndef AUTOTUNE_CXX_H
#define AUTOTUNE_CXX_H

#include <autotune_abi.h>

#include <cxxabi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>
#include <typeinfo>

namespace autotune {

/* ---- arguments ------------------------------------------------------------------- */

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

/* An argument of a parameter that is declared as T_, and how a list of arguments holds
 * it: the address of its bytes. A reference counts as a pointer. */
template <class T_> struct passed {
  typedef held<T_> &type;
  void *address_;
  /* A parameter may be declared `T *__restrict__`, which held<T_> is not. */
  template <class U_>
  explicit passed(const U_ &value) : address_(const_cast<held<T_> *>(&value)) {
  }
  void *address() {
    return address_;
  }
  static type get(void *p) {
    return *static_cast<held<T_> *>(p);
  }
};
template <class T_> struct passed<T_ &> {
  typedef T_ &type;
  T_ *target_;
  explicit passed(T_ &value) : target_(__builtin_addressof(value)) {
  }
  void *address() {
    return const_cast<void *>(static_cast<const volatile void *>(&target_));
  }
  static type get(void *p) {
    return **static_cast<T_ **>(p);
  }
};
/* Returns the argument at address P, of a parameter that is declared as T_. */
template <class T_> typename passed<T_>::type argument(void *p) {
  return passed<T_>::get(p);
}
/* Bytes and kind of such an argument. */
template <class T_> constexpr size_t argument_size() {
  return std::is_reference<T_>::value ? sizeof(void *) : sizeof(held<T_>);
}
template <class T_> constexpr int argument_kind() {
  return std::is_reference<T_>::value || std::is_pointer<held<T_>>::value
      ? AUTOTUNE_ARG_POINTER
      : std::is_integral<held<T_>>::value && sizeof(held<T_>) <= sizeof(long long)
      ? AUTOTUNE_ARG_INTEGER
      : std::is_same<held<T_>, float>::value || std::is_same<held<T_>, double>::value
      ? AUTOTUNE_ARG_REAL
      : AUTOTUNE_ARG_OTHER;
}
/* Returns the bytes of T_; 0: it is not complete. */
template <class T_, size_t N_ = sizeof(T_)> constexpr size_t size_of(int) {
  return N_;
}
template <class T_> constexpr size_t size_of(...) {
  return 0;
}

/* ---- keys ------------------------------------------------------------------------ */

/* True for integers. A reference that the kernel may write through is none. */
template <class T_> struct is_key {
  typedef typename std::remove_reference<T_>::type target;
  static constexpr bool value =
      (std::is_integral<held<T_>>::value || std::is_enum<held<T_>>::value) &&
      (!std::is_reference<T_>::value || std::is_const<target>::value);
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
/* The integers among parameters that are declared as A_. */
template <class... A_> struct keys {
  static constexpr unsigned count = 0;
  static bool same(const long long *) {
    return true;
  }
  static void set(long long *) {
  }
};
template <class T_, class... A_> struct keys<T_, A_...> {
  static constexpr unsigned own = is_key<T_>::value ? 1 : 0;
  static constexpr unsigned count = own + keys<A_...>::count;
  template <class U_>
  static typename std::enable_if<is_key<T_>::value && sizeof(U_), long long>::type number(
      const U_ &value) {
    return static_cast<long long>(value);
  }
  template <class U_>
  static typename std::enable_if<!is_key<T_>::value && sizeof(U_), long long>::type
  number(const U_ &) {
    return 0;
  }
  /* True if KEY has the values of these arguments. */
  template <class U_, class... V_>
  __attribute__((__always_inline__)) static bool same(const long long *key,
                                                      const U_ &value,
                                                      const V_ &...rest) {
    return (!own || *key == number(value)) && keys<A_...>::same(key + own, rest...);
  }
  template <class U_, class... V_>
  static void set(long long *key, const U_ &value, const V_ &...rest) {
    if (own)
      *key = number(value);
    keys<A_...>::set(key + own, rest...);
  }
};

/* ---- elements -------------------------------------------------------------------- */

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
/* ---- instances of templates ------------------------------------------------------ */

/* A type for a constant, whose mangled name has the constant's. */
template <class T_, T_ V_> struct constant_of {};
template <class T_> struct is_function {
  static constexpr bool value = std::is_pointer<T_>::value &&
      std::is_function<typename std::remove_pointer<T_>::type>::value;
};

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
  /* An argument of a template that is no type: V_, of type T_. The unit knows a function
   * by its name. */
  template <class T_, T_ V_>
  typename std::enable_if<!is_function<T_>::value, instance &>::type constant() {
    return value(V_);
  }
  template <class T_, T_ V_>
  typename std::enable_if<is_function<T_>::value, instance &>::type constant() {
    int status = 0;
    const char *mangled = type_of<constant_of<T_, V_>>();
    char *text = mangled ? abi::__cxa_demangle(mangled, nullptr, nullptr, &status)
                         : nullptr;
    if (text) /* "constant_of<void (*)(int), &(f(int))>", "…, &n::f>" */
      drop(text, "(anonymous namespace)::");
    char *name = text ? strstr(text, ", &") : nullptr;
    if (name)
      name += name[3] == '(' ? 4 : 3;
    size_t size = name ? strcspn(name, "(>") : 0;
    if (size)
      name[size] = '\0';
    known_ = known_ && size && !strpbrk(name, "<>{}' ");
    add_argument(size ? name : "?");
    free(text);
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
  /* Returns TEXT after these lines; an #error where the unit cannot name the instance's
   * types. */
  const char *text(const char *text) const {
    if (!known_)
      return "#error a template argument has no name that the kernel's unit could use\n";
    size_t lines = lines_ ? strlen(lines_) : 0, size = strlen(text);
    char *whole = lines ? static_cast<char *>(malloc(lines + size + 1)) : nullptr;
    if (!whole)
      return text;
    memcpy(whole, lines_, lines);
    memcpy(whole + lines, text, size + 1);
    return whole;
  }
  const char *lines() const {
    return !known_ ? nullptr : lines_ ? lines_ : "";
  }
};

/* Returns how elements T_ of the program's memory are compared. */
template <class T_> element host_element() {
  typedef typename std::remove_all_extents<T_>::type part;
  if (std::is_array<T_>::value)
    return host_element<part>();
  if (std::is_integral<T_>::value)
    return { nullptr,
             std::is_same<T_, char>::value   ? AUTOTUNE_BYTES
                 : std::is_signed<T_>::value ? AUTOTUNE_SIGNED
                                             : AUTOTUNE_UNSIGNED,
             sizeof(T_) };
  if (std::is_pointer<T_>::value)
    return { nullptr, AUTOTUNE_POINTER, sizeof(T_) };
  if (std::is_same<T_, long double>::value)
    return { nullptr, AUTOTUNE_F80, sizeof(T_) };
  return element_type<T_>();
}

/* ---- sites ----------------------------------------------------------------------- */

/* Closes a site when the code of its file is unmapped. */
struct closer {
  autotune_site *site_;
  void (*close_)(autotune_site *); /* NULL: the program runs without libautotune */
  closer(autotune_site *site, void (*close)(autotune_site *))
      : site_(site), close_(close) {
  }
  ~closer() {
    if (close_)
      close_(site_);
  }
  closer(const closer &) = delete;
  closer &operator=(const closer &) = delete;
};

} // namespace autotune

#include <autotune_layout.h>

#endif
