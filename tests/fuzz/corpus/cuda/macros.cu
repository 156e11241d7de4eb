#pragma autotune kernel
__global__ void k() {}
#define k k
#define A(k) k<<<
#define B k<<<1,2>>>()
#define
#define C cudaLaunchKernel(k
namespace a = ;
a::k<<<1,2>>>();::k<<<1,2>>>(); a::b::k<float<<<1,2>>>();
