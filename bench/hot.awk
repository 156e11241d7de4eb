# SPDX-License-Identifier: Apache-2.0
# hot.awk -v root=FOLDER -v folder=FOLDER -v unit=FILE: reads preprocessed C or C++. Prints what could be a kernel, in columns:
# its kind, file, first line (of the pragma above it), last line, line of the statement itself, function, and UNIT. Paths are
# relative to FOLDER; only files below ROOT count.
#
# T, L and F hold the tokens, their lines and their files. A pragma is one token, "#", with its text in P. N, E and A hold the
# nests of a function: first token, last token, and that of the statement. Each function takes the number of a token, and those
# that read return that of the token after what they have read. Parameters after the wide space are local variables.
function emit(kind, from, to, at) {
  print kind "\t" F[at] "\t" L[from] "\t" L[to] "\t" L[at] "\t" name "\t" unit
}

function balanced(i,    depth) { # what stands in a pair of brackets
  do
    depth += (T[i] ~ /^[([{]$/) - (T[i] ~ /^[])}]$/)
  while (i++ <= n && depth)
  return i
}

function loop(i, first, body,    end, outside, before) { # a nest, unless a loop in it shares its work with threads
  outside = shared
  shared = 0
  before = nests
  end = statement(body, body)
  if (T[i] == "do")
    while (end <= n && T[end++] != ";");
  if (!shared) { # in place of the loops within
    nests = before + 1
    N[nests] = first
    E[nests] = end - 1
    A[nests] = i
  }
  shared += outside
  emit("loop", first, end - 1, i)
  return end
}

function braces(i,    j) {
  for (j = i + 1; j <= n && T[j] != "}"; )
    j = statement(j, j)
  emit("block", i, j, i)
  return j + 1
}

function body(i, first,    end) { # of the function NAME
  inside = 1
  nests = 0
  end = braces(i)
  emit("function", first, end - 1, first)
  inside = 0
  for (; nests; nests--)
    emit("nest", N[nests], E[nests], A[nests])
  return end
}

function pragma(i, first,    end) {
  if (P[i] ~ /omp.*(parallel|for|sections)/) {
    end = statement(i + 1, first)
    shared = 1
    emit("region", i, end - 1, i)
    return end
  }
  return P[i] ~ /omp (simd|critical|master|single|atomic)|ivdep|unroll/ ? statement(i + 1, first) : i + 1
}

function other(i,    j, called, old) { # an expression, a declaration or a function. OLD: its parameters follow: int f(n) int n; {
  for (j = i; j <= n && T[j] != "}" && (T[j] != ";" || old); )
    if (T[j] == "(") {
      if (called == "" && T[j - 1] !~ /^__/)
        called = T[j - 1]
      j = balanced(j)
      old = !inside && T[j] ~ /^[A-Za-z]/ && T[j] !~ /^(const|noexcept|override|final|throw|try)$/
    } else if (T[j] == "[" || T[j] == "{" && T[j - 1] ~ /^[]=,]$/)
      j = balanced(j)
    else if (T[j] == "{") {
      if (called == "" || inside)
        return braces(j)
      name = called
      return body(j, i)
    } else
      j++
  return j + (T[j] == ";" || j == i)
}

function statement(i, first,    j) {
  if (T[i] == "#")
    return pragma(i, first)
  if (T[i] == "{")
    return braces(i)
  if (T[i] ~ /^(for|while)$/)
    return loop(i, first, balanced(i + 1))
  if (T[i] == "do")
    return loop(i, first, i + 1)
  if (T[i] ~ /^(if|switch)$/) {
    j = balanced(i + 1)
    return statement(j, j)
  }
  if (T[i] == "else")
    return statement(i + 1, i + 1)
  if (T[i] ~ /^(case|default)$/) {
    while (i <= n && T[i] != ":")
      i++
    return i + 1
  }
  return other(i)
}

/^# [0-9]+ "/ {
  line = $2 - 1
  file = $3
  gsub(/"/, "", file)
  if (file !~ /^\//)
    file = folder "/" file
  while (gsub(/\/\.\//, "/", file) || sub(/\/[^\/]+\/\.\.\//, "/", file));
  own = index(file, root "/") == 1
  next
}
{ line++ }
!own { next }
/^ *#pragma/ {
  T[++n] = "#"
  P[n] = $0
  L[n] = line
  F[n] = file
  next
}
{
  while (match($0, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|[A-Za-z_0-9]+|[^ \t]/)) {
    T[++n] = substr($0, RSTART, RLENGTH)
    L[n] = line
    F[n] = file
    $0 = substr($0, RSTART + RLENGTH)
  }
}
END {
  for (i = 1; i <= n; )
    i = statement(i, i)
}
