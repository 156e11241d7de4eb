// SPDX-License-Identifier: Apache-2.0
// What parameters say of times. Over the variants that were right, on logarithms: a factor of two is the
// same far up as far down.

function logs(result) {
  return Float64Array.from(result.ran, (i) => Math.log(result.median[i]));
}

// The adjusted share (epsilon squared, Kelley 1935) of the variation of Y that knowing the group
// explains; GROUP(k): of the k-th, or -1. null: too few variants for so many groups.
function explained(y, group, groups) {
  const sum = new Float64Array(groups), n = new Uint32Array(groups);
  let all = 0, total = 0;
  for (let k = 0; k < y.length; k++) {
    const g = group(k);
    if (g >= 0) {
      sum[g] += y[k];
      n[g]++;
      total += y[k];
      all++;
    }
  }
  let within = 0, around = 0, used = 0;
  for (let g = 0; g < groups; g++)
    used += n[g] > 0;
  if (all - used < 1 || used < 2)
    return null;
  for (let k = 0; k < y.length; k++) {
    const g = group(k);
    if (g >= 0) {
      within += (y[k] - sum[g] / n[g]) ** 2;
      around += (y[k] - total / all) ** 2;
    }
  }
  if (around <= 0)
    return null;
  return Math.max(0, 1 - within / (all - used) / (around / (all - 1)));
}

// {parameters, single: [share], pair: [[share beyond the two alone]]} of at most MOST parameters.
export function variation(result, most) {
  const y = logs(result), ran = result.ran;
  const all = result.parameters.filter((p) => p.values.length > 1)
    .map((p) => ({ p, share: explained(y, (k) => p.of[ran[k]], p.values.length) }))
    .filter((one) => one.share !== null);
  all.sort((a, b) => b.share - a.share);
  const kept = all.slice(0, most);
  const pair = kept.map((a, i) => kept.map((b, j) => {
    if (j >= i)
      return null;
    const nb = b.p.values.length;
    const both = explained(y, (k) => {
      const u = a.p.of[ran[k]], v = b.p.of[ran[k]];
      return u < 0 || v < 0 ? -1 : u * nb + v;
    }, a.p.values.length * nb);
    return both === null ? null : Math.max(0, both - a.share - b.share);
  }));
  return { parameters: kept.map((one) => one.p), single: kept.map((one) => one.share), pair,
           left: all.length - kept.length };
}

// The best time for each value of A with each of B.
export function bestByPair(result, a, b) {
  const best = new Map();
  for (const i of result.ran) { // the fastest first
    const u = a.of[i], v = b.of[i];
    if (u >= 0 && v >= 0 && !best.has(u * b.values.length + v))
      best.set(u * b.values.length + v, i);
  }
  return [...best].map(([cell, i]) =>
    [Math.floor(cell / b.values.length), cell % b.values.length, result.median[i]]);
}

// [trial, time] wherever a trial was better than all before it, and where it ended.
export function bestSoFar(result) {
  const steps = [];
  let best = Infinity, last = 0;
  const right = new Set(result.ran);
  for (let i = 0; i < result.n; i++)
    if (right.has(i)) {
      last = i + 1;
      if (result.median[i] < best)
        steps.push([i + 1, best = result.median[i]]);
    }
  if (steps.length)
    steps.push([last, best]);
  return steps;
}

// A number in [-0.5, 0.5) that is always the same for I.
export const jitter = (i) => ((i * 2654435761) >>> 8) % 1000 / 1000 - 0.5;

// At most MOST of LIST, evenly, the first always.
export function thin(list, most) {
  if (list.length <= most)
    return list;
  const step = list.length / most;
  return Array.from({ length: most }, (_, k) => list[Math.floor(k * step)]);
}
