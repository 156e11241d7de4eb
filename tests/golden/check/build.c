/* args: -DTILE=32 -DSIZE_T=long -DLEFT_OUT -include stdint.h */
/* What only the build knows: defaults, types, and which kernels there are. */
#ifndef TILE
#define TILE 8
#endif
typedef SIZE_T size;

#pragma autotune kernel param(TILE: 8, 16, 32) inout(x[0:n])
void scale(size n, uint8_t few, double *x)
{
  for (size i = 0; i < n; i += TILE)
    x[i] *= few;
}

#ifndef LEFT_OUT
#pragma autotune kernel param(TILE: 8, 16)
void other(int n, double *x)
{
  x[n] = TILE;
}
#endif
