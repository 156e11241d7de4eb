// SPDX-License-Identifier: Apache-2.0
// Where does it hold? What the result is a result of, the kernel's other results, and another store's.
import { axis, chart, grid, lines, listed } from './chart.js';
import { speedup } from './data.js';
import { figure, h, pieces } from './dom.js';
import * as f from './format.js';
import { table } from './table.js';

function answer(result, same) {
  const machines = new Set(same.map((r) => r.cpu + r.isa + r.threads)).size;
  const keys = new Set(same.map((r) => r.keyText)).size;
  const others = keys * machines > 1 ? ` ${result.kernel} has results for ${f.many(keys, 'key')} on ` +
    `${f.many(machines, 'machine')}.` : '';
  return `For ${result.keyText || 'all calls'}, on ${f.place(result)}, with this compiler; elsewhere it is tuned anew.` +
    others;
}

function facts(result) {
  const list = [['processor', result.cpu], ['instruction set', result.isa], ['threads', result.threads || ''],
    ['compiler', result.toolchain || result.compiler], ['machine', result.machine && f.caches(result.machine)], ['source', result.file],
    ['adopted from', result.source]];
  return h('dl', {}, list.filter(([, value]) => value).map(([name, value]) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

// Where one number makes the key: speed-up over it, a line for each machine.
function byKey(same) {
  const names = new Set(same.flatMap((r) => Object.keys(r.key)));
  const points = same.filter((r) => speedup(r) && Object.values(r.key)[0] > 0);
  if (names.size !== 1 || points.length < 3)
    return null;
  const lanes = new Map(), at = points.map((r) => Object.values(r.key)[0]).sort((a, b) => a - b);
  for (const r of points) {
    const lane = f.place(r);
    lanes.set(lane, [...(lanes.get(lane) || []), [Object.values(r.key)[0], speedup(r).ratio, r.label]]);
  }
  return chart({
    label: () => `Speed-up by key: ${listed(points.map((r) => `${r.keyText} ${f.factor(speedup(r).ratio)}`))}`,
    height: 260,
    option: (c) => ({
      color: [c.best, c.base, c.bad, c.other], grid: grid({ top: lanes.size > 1 ? 34 : 12, bottom: 22 }),
      legend: lanes.size > 1 ? { top: 0, left: 4, type: 'plain', textStyle: { color: c.quiet } } : undefined,
      xAxis: axis(c, { type: 'log', min: at[0], max: at.at(-1), name: [...names][0], nameLocation: 'middle', nameGap: 24,
        splitLine: { show: false }, axisLabel: { customValues: at, formatter: f.count } }),
      yAxis: axis(c, { type: 'value', axisLabel: { formatter: f.times } }),
      tooltip: { trigger: 'item', formatter: ({ data }) => lines(data[2], f.factor(data[1])) },
      series: [...lanes].map(([name, data]) => ({ type: 'line', name, symbolSize: 7,
        data: data.sort((a, b) => a[0] - b[0]) })),
    }),
  });
}

// The values that A has and B has not.
function differing(a, b) {
  if (!a)
    return f.none;
  if (!a.winner)
    return 'the default';
  const list = Object.entries(a.winner).filter(([name, value]) => b?.winner?.[name] !== value);
  return list.length ? list.map(([name, value]) => `${name}=${value || '""'}`).join('  ') : 'the same';
}

const shown = (text) => pieces(text.split('  '));

// Results of ours and of the other store that are of the same kernel and key: on the same machine where
// it has such, else on each of its machines.
function pairs(report) {
  const others = report.against.results.map((r) => ({ ...r, keyText: f.key(r.key) }));
  const rows = [], met = new Set();
  for (const a of report.kernels.filter((r) => r.finished)) {
    const alike = others.filter((b) => b.kernel === a.kernel && b.keyText === a.keyText);
    const here = alike.filter((b) => b.cpu === a.cpu && b.isa === a.isa && b.threads === a.threads);
    for (const b of here.length ? here : alike.length ? alike : [null]) {
      rows.push({ a, b, any: a });
      met.add(b);
    }
  }
  return [...rows, ...others.filter((b) => !met.has(b)).map((b) => ({ a: null, b, any: b }))];
}

function against(report) {
  const rows = pairs(report);
  const ratio = (p) => p.a?.best && p.b?.best ? p.b.best.median / p.a.best.median : null;
  const both = rows.filter((p) => ratio(p) !== null);
  const slower = both.filter((p) => p.b.best.low > p.a.best.high).length;
  const faster = both.filter((p) => p.b.best.high < p.a.best.low).length;
  const time = (title, r) => ({ title, number: true, value: (p) => r(p)?.best?.median ?? null,
    show: (p) => f.seconds(r(p)?.best?.median) });
  const only = (title, r, other) => ({ title, wide: true, value: (p) => differing(r(p), other(p)),
    show: (p) => shown(differing(r(p), other(p))) });
  const on = (title, r) => ({ title, soft: true, value: (p) => r(p) ? f.place(r(p)) : f.none,
    show: (p) => r(p) ? f.place(r(p)) : f.none });
  const here = (p) => p.a, there = (p) => p.b;
  const machines = new Set(rows.flatMap((p) => [p.a, p.b]).filter(Boolean).map((r) => r.cpu + r.isa + r.threads));
  return [h('h3', {}, `Against ${report.against.name}`),
    h('p', {}, both.length === 0 ? 'No result is in both.'
      : `Of ${f.many(both.length, 'result')} in both, ${f.count(faster)} ${faster === 1 ? 'is' : 'are'} faster there, ` +
        `${f.count(slower)} slower, and ${f.count(both.length - faster - slower)} the same within the noise.`),
    table({ name: 'comparison', rows, columns: [
      { title: 'Kernel', soft: true, value: (p) => p.any.kernel, show: (p) => p.any.kernel },
      { title: 'For', soft: true, value: (p) => p.any.keyText, show: (p) => p.any.keyText || f.none },
      time('Here', here), time('There', there),
      { title: 'There / here', number: true, value: ratio, show: (p) => f.factor(ratio(p)) },
      only('Only here', here, there), only('Only there', there, here),
      ...(machines.size > 1 ? [on('Here on', here), on('There on', there)] : []),
    ] }).node];
}

export function hold(result, report, select) {
  const same = report.kernels.filter((r) => r.kernel === result.kernel);
  const keys = byKey(same);
  return [
    h('p', { class: 'answer' }, answer(result, same)), facts(result),
    keys && figure('Speed-up by key', '', keys.node),
    same.length > 1 ? table({ name: `results of ${result.kernel}`, rows: same, perPage: 10, columns: [
      { title: 'For', value: (r) => r.keyText, show: (r) =>
        h('button', { type: 'button', class: 'link', onclick: () => select(r.index) }, r.keyText || f.none) },
      { title: 'On', value: f.place, show: f.place },
      { title: 'Compiler', value: (r) => r.toolchain || '', show: (r) => r.toolchain || f.none },
      { title: 'Best', number: true, value: (r) => r.best?.median ?? null, show: (r) => f.seconds(r.best?.median) },
      { title: 'Speed-up', number: true, value: (r) => speedup(r)?.ratio ?? null,
        show: (r) => f.factor(speedup(r)?.ratio) },
      { title: 'Differs in', wide: true, value: (r) => differing(r, result), show: (r) =>
        r === result ? 'this one' : shown(differing(r, result)) },
    ] }).node : null,
    report.against ? against(report) : null,
  ];
}
