// A loop that reaches private members through `auto` compiles where it stands, but not as a function of its own. The
// build must be as without the pragma.
class grid {
  double u[8];

public:
  void take(const grid &g);
};
void grid::take(const grid &g)
{
  auto &other = g;
  #pragma autotune kernel
  for (int i = 0; i < 8; i++)
    u[i] += other.u[i];
}
