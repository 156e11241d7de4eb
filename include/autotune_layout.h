/* SPDX-License-Identifier: Apache-2.0 */
/* autotune_layout.h: what the elements of C++ sections consist of. Part of
 * autotune_cxx.h.
 *
 * C++ before reflection does not tell a struct's members. But an aggregate can be
 * initialised by a list of its numbers in order, those of structs and arrays in it
 * included, and a value that converts to any number learns which one it becomes. So each
 * number is changed in turn, and the bytes that change are its place. Members whose
 * place is not found so (bit-fields, `bool`, unions, classes with constructors) and
 * padding are compared as bytes. */
#ifndef AUTOTUNE_LAYOUT_H
#define AUTOTUNE_LAYOUT_H

#ifndef AUTOTUNE_CXX_H
#error "autotune_cxx.h includes this file"
#endif

#include <new>
#include <utility>

/* A class with constructors is none: its own code must not run for this. */
#if (defined(__GNUC__) && __GNUC__ >= 7) || (defined(__clang__) && __clang_major__ >= 5)
#define AUTOTUNE_IS_AGGREGATE(type) __is_aggregate(type)
#else
#define AUTOTUNE_IS_AGGREGATE(type) false
#endif

namespace autotune {

enum { MOST_NUMBERS = 64, PATTERN = 0x55 }; /* of an element; larger ones are bytes */

/* The number that a probe became, and whether its bytes are to be PATTERN, which is no
 * NaN in any type. */
struct number_found {
  bool changes;
  element e;
};
/* Converts to any number, and to no struct, so that lists go into structs and arrays. */
struct probe {
  number_found *found_;
  template <class U_,
            class = typename std::enable_if<std::is_arithmetic<U_>::value ||
                                            std::is_pointer<U_>::value ||
                                            std::is_enum<U_>::value>::type>
  operator U_() const {
    U_ value = U_();
    found_->e = host_element<U_>();
    if (found_->changes && !std::is_same<U_, bool>::value && !std::is_enum<U_>::value)
      memset(&value, PATTERN, sizeof value);
    return value;
  }
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
/* True if a list of N_ numbers initialises S_, as made_of_numbers writes it: gcc takes
 * bit-fields in other expressions only. */
template <class S_, size_t N_, class... A_>
struct takes_numbers : takes_numbers<S_, N_ - 1, A_..., probe> {};
template <class S_, class... A_> struct takes_numbers<S_, 0, A_...> {
  template <class U_,
            class = decltype(new (static_cast<void *>(nullptr))
                                 U_{ std::declval<A_ &>()... })>
  static std::true_type test(int);
  template <class U_> static std::false_type test(...);
  static constexpr bool value = decltype(test<S_>(0))::value;
};
/* The longest such list, from N_ on. */
template <class S_, size_t N_ = 0, bool = takes_numbers<S_, N_ + 1>::value>
struct count_numbers : count_numbers<S_, N_ + 1> {};
template <class S_, size_t N_> struct count_numbers<S_, N_, false> {
  static constexpr size_t value = N_;
};
template <class S_> struct count_numbers<S_, MOST_NUMBERS, true> {
  static constexpr size_t value = 0;
};
/* Makes an S_ of N_ probes at AT. Padding keeps the bytes that were there. */
template <class S_, size_t N_> struct made_of_numbers {
  template <class... A_> static void at(void *at, number_found *found, A_... rest) {
    made_of_numbers<S_, N_ - 1>::at(at, found, probe{ found + N_ - 1 }, rest...);
  }
};
template <class S_> struct made_of_numbers<S_, 0> {
  template <class... A_> static void at(void *at, number_found *, A_... all) {
    memset(at, 0, sizeof(S_));
    __asm__ volatile("" : : "r"(at) : "memory"); /* both are seen: also the padding */
    new (at) S_{ all... };
    __asm__ volatile("" : : "r"(at) : "memory");
  }
};
#pragma GCC diagnostic pop

/* Looks for the one run of SIZE bytes in which CHANGED differs from ZEROS, by PATTERN.
 * Returns its offset; N: there is none. */
inline size_t number_offset(const unsigned char *zeros, const unsigned char *changed,
                            size_t n, size_t size) {
  size_t first = 0, last = n;
  while (first < n && zeros[first] == changed[first])
    first++;
  while (last > first && zeros[last - 1] == changed[last - 1])
    last--;
  for (size_t i = first; i < last; i++)
    if ((zeros[i] ^ changed[i]) != PATTERN)
      return n;
  return last - first == size ? first : n;
}

/* The layout of arrays of COUNT S_, or of S_. */
template <class S_, size_t N_> class layout {
  autotune_leaf leaves_[2 * N_ + 1];
  char paths_[2 * N_ + 1][32];
  autotune_repeat repeat_;
  autotune_layout layout_;

  void add(autotune_element kind, size_t offset, size_t size) {
    unsigned i = layout_.n_leaves++;
    snprintf(paths_[i], sizeof paths_[i], "%s at byte %zu", repeat_.count > 1 ? "[]" : "",
             offset);
    leaves_[i].path = paths_[i];
    leaves_[i].element = kind;
    leaves_[i].offset = offset;
    leaves_[i].size = size;
    leaves_[i].repeat = 0;
    leaves_[i].n_repeats = repeat_.count > 1;
    leaves_[i].mask = nullptr;
  }
  /* Adds as bytes what lies between the numbers. */
  void fill(const bool *covered) {
    for (size_t i = 0; i < sizeof(S_);) {
      size_t end = i;
      while (end < sizeof(S_) && !covered[end])
        end++;
      if (end > i)
        add(AUTOTUNE_BYTES, i, end - i);
      i = end + 1;
    }
  }

public:
  explicit layout(size_t count) {
    alignas(S_) unsigned char zeros[sizeof(S_)], changed[sizeof(S_)];
    bool covered[sizeof(S_)] = {}, any = false;
    number_found found[N_] = {};
    repeat_.count = count;
    repeat_.stride = sizeof(S_);
    layout_.n_leaves = 0;
    made_of_numbers<S_, N_>::at(zeros, found);
    for (size_t i = 0; i < N_; i++) {
      found[i].changes = true;
      made_of_numbers<S_, N_>::at(changed, found);
      found[i].changes = false;
      const element &e = found[i].e;
      size_t at = number_offset(zeros, changed, sizeof(S_), e.size);
      if (at == sizeof(S_) || covered[at])
        continue;
      any |= e.kind != AUTOTUNE_BYTES;
      memset(covered + at, true, e.size);
      add(e.kind, at, e.size);
    }
    fill(covered);
    layout_.size = count * sizeof(S_);
    layout_.leaves = leaves_;
    layout_.n_repeats = 1;
    layout_.repeats = &repeat_;
    if (!any)
      layout_.n_leaves = 0;
  }
  const autotune_layout *get() const {
    return layout_.n_leaves ? &layout_ : nullptr;
  }
};

/* Returns what elements T_ consist of; NULL: of numbers of one type, as host_element
 * says, or of bytes. */
template <class T_, class S_ = typename std::remove_all_extents<T_>::type,
          bool = std::is_class<S_>::value && std::is_trivially_copyable<S_>::value &&
              AUTOTUNE_IS_AGGREGATE(S_)>
struct layout_of {
  static const autotune_layout *get() {
    return nullptr;
  }
};
template <class T_, class S_> struct layout_of<T_, S_, true> {
  template <size_t N_, bool = (N_ > 0)> struct known {
    static const autotune_layout *get() {
      static const layout<S_, N_> found(sizeof(T_) / sizeof(S_));
      return found.get();
    }
  };
  template <size_t N_> struct known<N_, false> {
    static const autotune_layout *get() {
      return nullptr;
    }
  };
  static const autotune_layout *get() {
    return host_element<S_>().kind == AUTOTUNE_BYTES
        ? known<count_numbers<S_>::value>::get()
        : nullptr;
  }
};

} // namespace autotune

#endif
