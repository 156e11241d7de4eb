# SPDX-License-Identifier: Apache-2.0
# hot.awk -v root=FOLDER -v folder=FOLDER -v unit=FILE: reads preprocessed C or C++. Prints what could be a kernel: its kind, file,
# first line (of the pragma above it), last line, line of the statement itself, function, and the file that was compiled.
# T, L, F and P hold the tokens, their lines and files, and pragmas. Each function takes the number of a token, and returns that
# of the token after what it has read.
function emit(kind, a, b, at) { print kind "\t" F[at] "\t" L[a] "\t" L[b] "\t" L[at] "\t" name "\t" unit }
function balanced(i, d) { do { d += (T[i] ~ /^[([{]$/) - (T[i] ~ /^[])}]$/) } while (i++ <= n && d); return i }
function loop(i, first, j, had, kept) { # its body begins at J
  had = shared; shared = 0; kept = nests; j = statement(j, j)
  if (T[i] == "do") while (j <= n && T[j++] != ";");
  if (!shared) { N[nests = kept + 1] = first; E[nests] = j - 1; A[nests] = i }
  shared += had; emit("loop", first, j - 1, i); return j }
function braces(i, j) { for (j = i + 1; j <= n && T[j] != "}"; ) j = statement(j, j); emit("block", i, j, i); return j + 1 }
function body(i, first, j) { # of the function NAME
  inside = 1; nests = 0; j = braces(i); emit("function", first, j - 1, first); inside = 0
  for (; nests; nests--) emit("nest", N[nests], E[nests], A[nests])
  return j }
function statement(i, first, j, k, old) {
  if (T[i] == "#" && P[i] ~ /omp.*(parallel|for|sections)/) { j = statement(i + 1, first); shared = 1; emit("region", i, j - 1, i); return j }
  if (T[i] == "#") return P[i] ~ /omp (simd|critical|master|single|atomic)|ivdep|unroll/ ? statement(i + 1, first) : i + 1
  if (T[i] == "{") return braces(i)
  if (T[i] ~ /^(for|while)$/) return loop(i, first, balanced(i + 1))
  if (T[i] == "do") return loop(i, first, i + 1)
  if (T[i] ~ /^(if|switch)$/) { k = balanced(i + 1); return statement(k, k) }
  if (T[i] == "else") return statement(i + 1, i + 1)
  if (T[i] ~ /^(case|default)$/) { while (i <= n && T[i] != ":") i++; return i + 1 }
  for (j = i; j <= n && T[j] != "}" && (T[j] != ";" || old); )
    if (T[j] == "(") {
      if (k == "" && T[j - 1] !~ /^__/) k = T[j - 1]
      j = balanced(j); old = !inside && T[j] ~ /^[A-Za-z]/ && T[j] !~ /^(const|noexcept|override|final|throw|try)$/ # int f(n) int n; {
    } else if (T[j] == "[" || T[j] == "{" && T[j - 1] ~ /^[]=,]$/) j = balanced(j)
    else if (T[j] == "{") { if (k == "" || inside) return braces(j); name = k; return body(j, i) }
    else j++
  return j + (T[j] == ";" || j == i) }
/^# [0-9]+ "/ { line = $2 - 1; file = $3; gsub(/"/, "", file); if (file !~ /^\//) file = folder "/" file
  while (gsub(/\/\.\//, "/", file) || sub(/\/[^\/]+\/\.\.\//, "/", file)); own = index(file, root "/") == 1; next }
{ line++ } !own { next }
/^ *#pragma/ { T[++n] = "#"; P[n] = $0; L[n] = line; F[n] = file; next }
{ while (match($0, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|[A-Za-z_0-9]+|[^ \t]/)) {
    T[++n] = substr($0, RSTART, RLENGTH); L[n] = line; F[n] = file; $0 = substr($0, RSTART + RLENGTH) } }
END { for (i = 1; i <= n; ) i = statement(i, i) }
