// Expressions that depend on the arguments of templates: errors show when these are known.
struct vector { int size; double *data; };
struct other { double *data; };

// A key
#pragma autotune kernel param(T: 1, 2) key(v->length)
template <typename V> void g1(const V *v) { v->data[0] = T; }

// A condition, a section, numbers, and a constraint
#pragma autotune kernel param(T: 1, 2) if(v->ready) inout(v->data[v->first : v->count]) flops(v->work) \
  bytes(v->read) constraint(T > v->least)
template <typename V, typename X> void g2(const V *v, X x) { v->data[0] = x + T; }

// A key of a loop
template <typename V> void g3(const V *v, int n)
{
#pragma autotune kernel param(T: 1, 2) key(v->length)
  for (int i = 0; i < n; i++)
    v->data[i] = T;
}

void all(const vector *v, const other *o)
{
  g1(v);
  g1(o);
  g2(v, 1.0);
  g2(o, 1.0f);
  g3(v, 1);
}
