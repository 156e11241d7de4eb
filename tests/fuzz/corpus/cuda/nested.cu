#pragma autotune kernel
__global__ void k() {}
void f() { k<<<k<<<1,2>>>(),2>>>(k<<<3,4>>>()); cudaLaunchKernel(k,k,k,k,k,k,k); (void)k; k<k><<<1,2>>>(); }
