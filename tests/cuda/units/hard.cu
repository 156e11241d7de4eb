// Declarations that are hard to cut, and code that only hosts have.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#define DEVICE __device__ __forceinline__
#define BINARY(name, op)                                                                     \
  template <class T> DEVICE T apply_##name(T a, T b) { return a op b; }
BINARY(plus, +)
BINARY(times, *)

static const char *const text = R"(a string with "quotes" and { braces )";
static std::vector<std::string> lines { "one", "two" };
std::string join(const std::vector<std::string> &all) { return all.empty() ? "}" : all[0]; }
#if 0
It's not code, don't { look.
#endif

namespace outer { inline namespace v1 { namespace detail {
template <class Derived> struct Base {
  DEVICE float value() const { return static_cast<const Derived *>(this)->get(); }
};
} } }

namespace outer::v1 {
struct __align__(16) Leaf : public detail::Base<Leaf> {
  float x = 1, y { 2 };
  DEVICE Leaf(float a, float b) : x(a), y{b} {}
  DEVICE float get() const;
  template <int N> struct Inner { float data[N]; };
  enum { Width = 4, Height };
  static constexpr int size() { return Width * Height; }
};
DEVICE float Leaf::get() const { return x + y; }

template <class T, class = void> struct Limits { static constexpr T top = 0; };
template <class T> struct Limits<T, std::enable_if_t<std::is_floating_point<T>::value>> {
  static constexpr T top = std::numeric_limits<T>::max();
};

template <class F> __host__ __device__ auto call(F f) -> decltype(f(1)) { return f(1); }
DEVICE bool operator<(const Leaf &a, const Leaf &b) { return a.x < b.x; }
}

typedef struct { int first, second; } Couple;
typedef float (*Function)(float);
union Word { uint32_t whole; uint8_t part[4]; };
#pragma pack(push, 1)
struct Packed { char tag; float value; };
#pragma pack(pop)
static_assert(sizeof(Packed) == 5, "as packed");
enum Flag : unsigned { None = 0, Some = 1 << 3, All = (1 << 4) - 1 };
using Table = float[2][3];
static __device__ __constant__ const Table table = { { 1, 2, 3 }, { 4, 5, 6 } };
__device__ Couple couples[2] = { { 1, 2 }, { 3, 4 } };
constexpr int side(int n) { return n < 2 ? 1 : 2 * side(n / 2); }
template <int N> constexpr int square = N * N;
static __device__ float half_of(float x);
static __device__ float half_of(float x)
#ifdef EXACT
{ return x / 2; }
#else
{ return x * 0.5f; }
#endif

static __device__ int length(const char *s) { int n = 0; while (s[n]) n++; return n; }

#pragma autotune kernel block(32, 64) param(WAYS: 1, 2)
template <class T = float>
__global__ void mixed(T *__restrict__ out, const Couple *in, std::size_t n)
{
  using outer::Leaf;
  assert(n > 0);
  Leaf leaf(1, 2), other{ 3, 4 };
  Leaf::Inner<Leaf::Width> inner = { { 0 } };
  Word word;
  word.whole = Some | All;
  int64_t index = std::min<int64_t>(threadIdx.x, n - 1);
  T sum = apply_plus(leaf.value(), apply_times(leaf < other ? T(1) : T(2), half_of(inner.data[0])));
  sum += outer::Limits<T>::top > 0 ? T(word.part[0]) : T(side(WAYS));
  sum += outer::call([=](int i) { return table[i][1] + square<WAYS>; });
  sum += in[index].first + couples[1].second + length("a { b") + Leaf::size();
  std::pair<T, int> pair(sum, 1);
  static_assert(sizeof(Packed) == 5, "in the unit too");
  out[index] = pair.first + std::numeric_limits<T>::epsilon();
}
// instance: float

void run(float *out, const Couple *in) { mixed<<<1, 32>>>(out, in, lines.size() + join(lines).size()); }
