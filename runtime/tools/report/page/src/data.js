// SPDX-License-Identifier: Apache-2.0
// Prepares the results for the page. docs/report.md describes their members.
import * as format from './format.js';

// Sorts the values, as numbers if all are numbers, and adapts the columns, which hold their indices.
function sortValues(parameter) {
  const { values, of } = parameter;
  const numbers = values.every((v) => v !== '' && Number.isFinite(Number(v)));
  const order = values.map((_, i) => i).sort((a, b) =>
    numbers ? values[a] - values[b] : values[a] < values[b] ? -1 : 1);
  const place = [];
  order.forEach((old, now) => { place[old] = now; });
  return { name: parameter.name, values: order.map((i) => values[i]),
           of: Int32Array.from(of, (i) => i < 0 ? -1 : place[i]) };
}

// Sorts parameters as `influence` is sorted: those that matter most first.
function rank(parameters, influence) {
  const place = new Map(influence.map((one, i) => [one.parameter, i]));
  const at = (p) => place.has(p.name) ? place.get(p.name) : influence.length;
  return parameters.sort((a, b) => at(a) - at(b));
}

// What the report says of variants, by the name of their fate; the columns count them in this order.
export const fateNames = {};

// How the costs of RESULT are shown: its objective, a function for a cost, and what is said of one that is lower. Unless
// it is `timed`, costs are no seconds.
export function costs(result, report) {
  const measure = result.objective in report.objectives ? result.objective : 'time', objective = report.objectives[measure];
  const timed = objective.seconds;
  return { measure, timed, cost: format.amounts(objective.units), Measure: measure[0].toUpperCase() + measure.slice(1),
           faster: timed ? 'faster' : 'better', fastest: timed ? 'fastest' : 'best' };
}

function prepare(result, index, report) {
  const c = result.columns;
  const median = Float64Array.from(c.median, (x) => x === null ? NaN : x);
  const names = Object.keys(fateNames), fate = Array.from(c.fate, (i) => names[i]);
  const ran = [];
  for (let i = 0; i < median.length; i++)
    if (fate[i] === 'right' && median[i] > 0)
      ran.push(i);
  ran.sort((a, b) => median[a] - median[b]);
  const keyText = format.key(result.key);
  const label = keyText ? `${result.kernel} · ${keyText}` : result.kernel;
  return {
    ...result, ...costs(result, report), index, median, fate, ran, keyText,
    label: result.stale ? `${label} · stale${result.when ? `, of ${format.date(result.when)}` : ''}` : label,
    parameters: rank(c.parameters.map(sortValues), result.influence),
    n: median.length,
  };
}

// The results that programs use; all, where none is known to be used.
export function current(report) {
  const list = report.kernels.filter((r) => !r.stale);
  return list.length ? list : report.kernels;
}

export function read() {
  const report = JSON.parse(document.getElementById('results').textContent);
  Object.assign(fateNames, report.fates);
  report.kernels = report.kernels.map((r, i) => prepare(r, i, report));
  return report;
}

// ["MR=6", "NR=64"] of row I.
export const settingsList = (result, i) => result.parameters.filter((p) => p.of[i] >= 0)
  .map((p) => `${p.name}=${p.values[p.of[i]] || '""'}`);
export const settings = (result, i) => settingsList(result, i).join('  ');

// The fastest row with the winner's values; -1: there is none, or the default stays.
export function winnerRow(result) {
  if (!result.winner)
    return -1;
  const has = (i) => result.parameters.every((p) =>
    p.of[i] < 0 || p.values[p.of[i]] === result.winner[p.name]);
  const found = result.ran.find(has);
  return found === undefined ? -1 : found;
}

// The speed-up and the widest interval that both times allow.
export function speedup(result) {
  const a = result.default, b = result.best;
  if (!a || !b || !(b.median > 0) || !(a.median > 0))
    return null;
  if (!result.winner)
    return { ratio: 1, stays: true };
  const known = a.samples >= 6 && b.samples >= 6;
  return { ratio: a.median / b.median, low: known ? a.low / b.high : null,
           high: known ? a.high / b.low : null };
}
