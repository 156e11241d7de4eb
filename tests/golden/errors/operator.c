int x;
_Pragma("autotune kernel")
void f(int n) { x = n; }
