// SPDX-License-Identifier: Apache-2.0
// Clauses that a compiler must read in the function they are in: statement expressions, members, dependent names.
#include <vector>
#define MAX_OF(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
template <typename T> struct box { T *data; int n; int size() const { return n; } enum kind { small, large } k; };
enum class mode { fast, slow };
struct flag { bool on; explicit operator bool() const { return on; } };
#pragma autotune kernel param(TT: 1, 2) key(MAX_OF(n, 4), (int)m) if(f) inout(x[0:MAX_OF(n, 2)]) constraint(MAX_OF(n, TT) > 0) flops(2.0 * n)
void one(int n, double *x, mode m, flag f) { for (int i = 0; i < n; i += 1) x[i] += TT * (m == mode::fast) + f.on; }
#pragma autotune kernel param(TT: 1, 2) key(b.size(), b.k) inout(b.data[0:b.n]) constraint(TT <= b.size() + 1) if(b.k == box<X>::small)
template <typename X> void two(box<X> b) { for (int i = 0; i < b.n; i++) b.data[i] += TT; }
struct holder {
  typedef int index;
  static const int most = 5;
#pragma autotune kernel param(TT: 1, 2) key(n / most) inout(x[0:n]) if(n < most)
  static void three(index n, double *x) { for (int i = 0; i < n; i++) x[i] += TT; }
};
namespace {
#pragma autotune kernel param(TT: 1, 2) key(n * N) inout(x[0:n]) if(N > 1)
template <int N, typename X> void four(int n, X *x) { for (int i = 0; i < n; i++) x[i] += TT + N; } }
template <typename X> void five(std::vector<X> &v, int n)
{
#pragma autotune kernel param(TT: 1, 2) key(n) inout(v[0:n]) if(sizeof(X) > 1)
  for (int i = 0; i < n; i++)
    v[i] += TT;
}
void all(double *x, box<double> b, box<float> c, std::vector<double> &v)
{
  one(1, x, mode::fast, flag{ true }); two(b); two(c); holder::three(2, x); four<2>(3, x); five(v, 2);
}
