namespace { namespace a::b { inline namespace { extern "C" {
#pragma autotune kernel param(N: 1, 2) grid(ceil, N, ) block(N,,N) shared()
__global__ __launch_bounds__(N __launch_bounds__ void k(int&, int n = , T... x) { k<<<1>>>(); }