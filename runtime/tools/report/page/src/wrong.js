// SPDX-License-Identifier: Apache-2.0
// What went wrong? Variants that failed, and what makes results less sure.
import { axis, chart, grid, lines, listed } from './chart.js';
import { fateNames, settings, settingsList } from './data.js';
import { figure, h, pieces } from './dom.js';
import * as f from './format.js';
import { table } from './table.js';

const failures = () => Object.keys(fateNames).filter((name) => name !== 'right' && name !== 'dropped');
const failed = (result) => failures().reduce((sum, name) => sum + (result.variants[name] || 0), 0);

const sentence = (name) => name === 'wrong' ? 'gave a wrong answer' : fateNames[name];

function answer(result) {
  const n = failed(result), v = result.variants;
  if (v.tried === 0)
    return 'Nothing was tried.';
  if (n === 0)
    return `Nothing: all ${f.many(v.tried, 'variant')} that were tried gave the right answer` +
      (result.finished && !result.verified ? ', as far as is known: there was nothing to compare.' : '.');
  const top = failures().reduce((a, b) => (v[b] || 0) > (v[a] || 0) ? b : a);
  const all = n === v.tried ? `All ${f.many(v.tried, 'variant')}` : `${f.count(n)} of ${f.many(v.tried, 'variant')}`;
  const how = v[top] === n ? `: ${n === 1 ? 'it' : 'they'} ${sentence(top)}.`
    : `; most of them ${sentence(top)} (${f.count(v[top])}).`;
  return `${all} failed${how} ${n === v.tried ? 'So the default stays.'
    : n === 1 ? 'It cannot win.' : 'None of these can win.'}`;
}

function remarks(result, report) {
  const list = [];
  const c = result.columns;
  const wide = result.ran.filter((i) => c.runs[i] >= 6 && c.high[i] - c.low[i] > 0.04 * result.median[i]);
  const few = result.ran.filter((i) => c.runs[i] < 6);
  if (!result.finished)
    list.push('The tuning did not come to its end: what is shown is what was written until then.');
  if (result.finished && !result.verified)
    list.push('Unverified: the kernel declares no out or inout section, or each was empty, so answers ' +
      'were not compared with the default’s.');
  if (result.covered)
    list.push(`${result.covered[0].toUpperCase()}${result.covered.slice(1)}.`);
  if (result.variants.pending)
    list.push(`${f.many(result.variants.pending, 'variant is', 'variants are')} quarantined: the tuner ` +
      'died while trying them. They are not tried again until the kernel is forgotten (autotune db forget).');
  if (result.variants.dropped)
    list.push(`${f.many(result.variants.dropped, 'variant')} not run: what they would do had lost every time before.`);
  if (result.variants.same)
    list.push(`${f.many(result.variants.same, 'variant')} had the same machine code as another, and was not run again.`);
  if (wide.length)
    list.push(`Noise: ${f.count(wide.length)} of ${f.many(result.ran.length, 'time')} are known to no better ` +
      'than ± 2 %. Most are of variants that were clearly slower and stopped early.');
  if (few.length)
    list.push(`${f.many(few.length, 'variant')} ran fewer than six times, which gives no interval.`);
  if (report.damaged_rows)
    list.push(`${f.many(report.damaged_rows, 'row')} of the store failed the checksum and were ignored.`);
  return list;
}

function causes(result) {
  const list = [...failures(), 'dropped'].filter((name) => result.variants[name]).reverse();
  if (list.length < 2)
    return null;
  const one = chart({
    label: () => `Failed variants by cause: ${listed(list.slice().reverse().map((name) =>
      `${fateNames[name]} ${f.count(result.variants[name])}`))}`,
    height: 24 + 30 * list.length,
    option: (c) => ({
      grid: grid({ right: 48 }),
      xAxis: axis(c, { type: 'value', show: false, splitLine: { show: false } }),
      yAxis: axis(c, { type: 'category', data: list.map((name) => fateNames[name]), splitLine: { show: false },
        axisLabel: { hideOverlap: false } }),
      tooltip: { trigger: 'item', formatter: ({ dataIndex: i }) =>
        lines(fateNames[list[i]], f.many(result.variants[list[i]], 'variant')) },
      series: [{ type: 'bar', barMaxWidth: 16, data: list.map((name) => ({ value: result.variants[name],
        itemStyle: { color: name === 'dropped' ? c.other : c.bad, borderRadius: [0, 2, 2, 0] } })),
        label: { show: true, position: 'right', color: c.text } }],
    }),
  });
  return figure('By cause', '', one.node);
}

// One row for each cause and first line of a message, whatever numbers are in it: { fate, first, whole, n, example }.
function groups(result) {
  const c = result.columns, found = new Map();
  for (let i = 0; i < result.n; i++) {
    if (result.fate[i] === 'right')
      continue;
    const whole = c.message.texts[c.message.of[i]], first = whole.split('\n')[0];
    const key = `${result.fate[i]} ${first.replace(/[-+]?\d[\d.]*(e[-+]?\d+)?/gi, '0')}`;
    const group = found.get(key);
    if (group)
      group.n++;
    else
      found.set(key, { fate: result.fate[i], first, whole, n: 1, example: i });
  }
  return [...found.values()];
}

function message(g) {
  const more = g.whole.slice(g.first.length).trim();
  return more ? h('details', { class: 'message' }, h('summary', {}, g.first), h('pre', {}, more)) : g.first || f.none;
}

export function wrong(result, report) {
  const said = remarks(result, report), rows = groups(result);
  return [
    h('p', { class: 'answer' }, answer(result)),
    said.length ? h('ul', { class: 'remarks' }, said.map((text) => h('li', {}, text))) : null,
    causes(result),
    rows.length ? h('h3', {}, 'Messages') : null,
    rows.length ? table({ name: 'failures', rows, sort: 2, down: true, perPage: 10, columns: [
      { title: 'Cause', value: (g) => fateNames[g.fate], show: (g) => fateNames[g.fate] },
      { title: 'Message', wide: true, value: (g) => g.first, search: (g) => g.whole, show: message },
      { title: 'Variants', number: true, value: (g) => g.n, show: (g) => f.count(g.n) },
      { title: 'For example', wide: true, value: (g) => settings(result, g.example),
        show: (g) => pieces(settingsList(result, g.example)) },
    ] }).node : null,
  ];
}
