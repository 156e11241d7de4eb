#pragma autotune kernel block(16x16)
__global__ void k(float *a)
{
#pragma autotune unroll partial({1,2}) optional
for (;;) ;
#pragma autotune unroll
for (auto x : y) ;
}
#pragma autotune alternative(k)
template<> __global__ void k<int>(float *a) {}
