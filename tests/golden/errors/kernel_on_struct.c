#pragma autotune kernel
struct s { int x; };
void f(int n) { }
