// SPDX-License-Identifier: Apache-2.0
// Where does it hold? What the result is a result of, the kernel's other results, and another store's.
import { axis, chart, grid, lines, listed, logAxis } from './chart.js';
import { costs, current, speedup } from './data.js';
import { figure, h, pieces } from './dom.js';
import * as f from './format.js';
import { table } from './table.js';

function answer(result, same) {
  if (result.stale)
    return `Nowhere any more: ${result.stale} since.`;
  const machines = new Set(same.map((r) => r.cpu + r.isa + r.threads)).size;
  const keys = new Set(same.map((r) => r.keyText)).size;
  const others = keys * machines > 1 ? ` ${result.kernel} has results for ${f.many(keys, 'key')} on ` +
    `${f.many(machines, 'machine')}.` : '';
  return `For ${result.keyText || 'all calls'}, on ${f.place(result)}, with this compiler; elsewhere it is tuned anew.` +
    others;
}

function facts(result) {
  const list = [['processor', result.cpu], ['instruction set', result.isa], ['threads', result.threads || ''],
    ['compiler', result.toolchain || result.compiler],
    ['machine', result.machine && f.caches(result.machine)], ['source', result.file], ['commit', result.commit],
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
    height: 260, grows: 900,
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
  if (!a || !b)
    return f.none;
  if (!a.winner)
    return b.winner ? 'the default' : 'the same';
  const list = Object.entries(a.winner).filter(([name, value]) => b?.winner?.[name] !== value);
  return list.length ? list.map(([name, value]) => `${name}=${value || '""'}`).join('  ') : 'the same';
}

const winnerText = (r) => !r.winner ? 'the default' :
  Object.entries(r.winner).map(([name, value]) => `${name}=${value || '""'}`).join('  ');

const MOST_BARS = 40;

const shown = (text) => pieces(text.split('  '));

// Results of ours and of the other store that are of the same kernel and key: on the same machine where
// it has such, else on each of its machines.
function pairs(report) {
  const others = report.against.results.map((r) => ({ ...r, ...costs(r, report), keyText: f.key(r.key) }));
  const rows = [], met = new Set();
  for (const a of current(report).filter((r) => r.finished)) {
    const alike = others.filter((b) => b.kernel === a.kernel && b.keyText === a.keyText && b.measure === a.measure);
    const here = alike.filter((b) => b.cpu === a.cpu && b.isa === a.isa && b.threads === a.threads);
    for (const b of here.length ? here : alike.length ? alike : [null]) {
      rows.push({ a, b, any: a });
      met.add(b);
    }
  }
  return [...rows.filter((p) => p.b), ...rows.filter((p) => !p.b),
          ...others.filter((b) => !met.has(b)).map((b) => ({ a: null, b, any: b }))];
}

const ratio = (p) => p.a?.best && p.b?.best ? p.b.best.median / p.a.best.median : null;

// The time there over the time here, with what both intervals allow.
function ratios(both) {
  const list = both.map((p) => ({ p, ratio: ratio(p), name: p.any.keyText ? `${p.any.kernel} · ${p.any.keyText}`
    : p.any.kernel, known: p.a.best.samples >= 6 && p.b.best.samples >= 6 }))
    .sort((a, b) => a.ratio - b.ratio).slice(-MOST_BARS);
  const ends = list.map((g) => g.known ? [g.p.b.best.low / g.p.a.best.high, g.p.b.best.high / g.p.a.best.low]
    : [g.ratio, g.ratio]);
  const low = Math.min(0.9, ...ends.map((e) => e[0])), high = Math.max(1.1, ...ends.map((e) => e[1]));
  const said = (g) => `${g.name}: ${f.factor(g.ratio)}`, what = list.every((g) => g.p.any.timed) ? 'time' : 'cost';
  return chart({
    label: () => `${what === 'time' ? 'Time' : 'Cost'} there over ${what} here: ${listed(list.map(said))}`,
    height: 50 + 26 * list.length,
    option: (c, narrow) => ({
      grid: grid({ right: 24 }),
      xAxis: logAxis(c, low, high, { name: `${what} there over ${what} here`, nameLocation: 'middle', nameGap: 24,
        axisLabel: { formatter: f.times } }),
      yAxis: axis(c, { type: 'category', data: list.map((g) => g.name),
        axisLabel: { hideOverlap: false, formatter: (name) => f.fit(name, narrow ? 100 : 250) } }),
      tooltip: { trigger: 'item', formatter: ({ dataIndex: i }) => lines(list[i].name,
        `${list[i].p.any.cost(list[i].p.a.best.median)} here, ${list[i].p.any.cost(list[i].p.b.best.median)} there`) },
      series: [
        { type: 'custom', silent: true, data: ends.map((e, i) => [i, ...e]), renderItem: (params, api) => {
          const [a, b] = [1, 2].map((d) => api.coord([api.value(d), api.value(0)]));
          return { type: 'line', shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] },
            style: { stroke: c.text, lineWidth: 1.2 } };
        } },
        { type: 'scatter', symbolSize: 10, z: 3, data: list.map((g, i) => [g.ratio, i]),
          itemStyle: { color: ({ dataIndex: i }) => ends[i][0] > 1 ? c.base : ends[i][1] < 1 ? c.best : c.other },
          markLine: { silent: true, symbol: 'none', label: { show: false },
            lineStyle: { color: c.text, type: 'solid', width: 1 }, data: [{ xAxis: 1 }] } },
      ],
    }),
  });
}

function against(report) {
  const rows = pairs(report);
  const both = rows.filter((p) => ratio(p) !== null);
  const slower = both.filter((p) => p.b.best.low > p.a.best.high).length;
  const faster = both.filter((p) => p.b.best.high < p.a.best.low).length;
  const time = (title, r) => ({ title, number: true, value: (p) => r(p)?.best?.median ?? null,
    show: (p) => p.any.cost(r(p)?.best?.median) });
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
    both.length > 1 ? figure('There against here', 'to the right of 1 it is slower there; the line is what both 95 % ' +
      'intervals allow', ratios(both).node) : null,
    table({ name: 'comparison', rows, columns: [
      { title: 'Kernel', soft: true, value: (p) => p.any.kernel, show: (p) => p.any.kernel },
      { title: 'For', soft: true, value: (p) => p.any.keyText, show: (p) => p.any.keyText || f.none },
      time('Here', here), time('There', there),
      { title: 'There / here', number: true, value: ratio, show: (p) => f.factor(ratio(p)) },
      only('Only here', here, there), only('Only there', there, here),
      ...(machines.size > 1 ? [on('Here on', here), on('There on', there)] : []),
    ] }).node];
}

// The results for the same calls on the same machine, of this text of the kernel and of others, the newest first.
function earlier(result, report, select) {
  const file = (r) => (r.file || '').replace(/.*\//, '');
  const same = ['kernel', 'keyText', 'cpu', 'isa', 'threads', 'objective'];
  const list = report.kernels.filter((r) => same.every((name) => r[name] === result[name]) && file(r) === file(result))
    .sort((a, b) => (b.when || 0) - (a.when || 0));
  if (list.length < 2)
    return null;
  const state = (r) => r.stale ? `stale: ${r.stale}` : r.finished ? 'current' : 'not finished', times = list.filter((r) => r.best).reverse();
  const all = times.flatMap((r) => [r.default, r.best]).filter(Boolean).map((e) => e.median);
  const one = times.length < 2 ? null : chart({
    label: () => `Best ${result.measure} by date: ${listed(times.map((r) => `${f.date(r.when)} ${r.cost(r.best.median)}`))}`,
    height: 240, grows: 900,
    option: (c, narrow) => ({
      grid: grid({ top: 34 }),
      legend: { data: ['default', 'best'], top: 0, left: 4, itemWidth: 12, itemHeight: 8, textStyle: { color: c.quiet },
        selectedMode: false },
      xAxis: axis(c, { type: 'category', data: times.map((r) => f.date(r.when)), splitLine: { show: false },
        axisLabel: { formatter: (date) => narrow ? date.slice(0, 10) : date } }),
      yAxis: logAxis(c, Math.min(...all), Math.max(...all), { axisLabel: { formatter: result.cost } }),
      tooltip: { trigger: 'item', formatter: ({ seriesName, dataIndex: i, value }) => lines(
        `${seriesName}: ${result.cost(value)}`, f.date(times[i].when), state(times[i])) },
      series: [['default', c.base], ['best', c.best]].map(([name, colour]) => ({ type: 'line', name, symbol: 'circle',
        symbolSize: 8, itemStyle: { color: colour }, lineStyle: { color: colour, width: 2 },
        data: times.map((r) => r[name]?.median ?? null) })),
    }),
  });
  return [h('h3', {}, 'Earlier results'),
    one && figure(`${result.Measure} of a call by date`, 'each by another text of the kernel or another compiler', one.node),
    table({ name: 'earlier results', rows: list, perPage: 10, columns: [
      { title: 'Tuned', value: (r) => r.when || 0, show: (r) => r === result ? f.date(r.when)
        : h('button', { type: 'button', class: 'link', onclick: () => select(r.index) }, f.date(r.when)) },
      ...(list.some((r) => r.commit) ? [{ title: 'Commit', soft: true, value: (r) => r.commit || '',
        show: (r) => r.commit || f.none }] : []),
      { title: 'State', soft: true, value: state, show: state },
      { title: 'Default', number: true, value: (r) => r.default?.median ?? null, show: (r) => r.cost(r.default?.median) },
      { title: 'Best', number: true, value: (r) => r.best?.median ?? null, show: (r) => r.cost(r.best?.median) },
      { title: 'Speed-up', number: true, value: (r) => speedup(r)?.ratio ?? null, show: (r) => f.factor(speedup(r)?.ratio) },
      { title: 'Compiler', soft: true, value: (r) => r.toolchain || '', show: (r) => r.toolchain || f.none },
      { title: 'Winner', wide: true, value: (r) => winnerText(r), show: (r) => shown(winnerText(r)) },
    ] }).node];
}

export function hold(result, report, select) {
  const same = report.kernels.filter((r) => r.kernel === result.kernel && (r === result || !r.stale));
  const keys = byKey(same);
  return [
    h('p', { class: 'answer' }, answer(result, same)), facts(result),
    keys && figure('Speed-up by key', '', keys.node),
    earlier(result, report, select),
    same.length > 1 ? table({ name: `results of ${result.kernel}`, rows: same, perPage: 10, columns: [
      { title: 'For', value: (r) => r.keyText, show: (r) =>
        h('button', { type: 'button', class: 'link', onclick: () => select(r.index) }, r.keyText || f.none) },
      { title: 'On', value: f.place, show: f.place },
      { title: 'Compiler', value: (r) => r.toolchain || '', show: (r) => r.toolchain || f.none },
      { title: 'Best', number: true, value: (r) => r.best?.median ?? null, show: (r) => r.cost(r.best?.median) },
      { title: 'Speed-up', number: true, value: (r) => speedup(r)?.ratio ?? null,
        show: (r) => f.factor(speedup(r)?.ratio) },
      { title: 'Differs in', wide: true, value: (r) => differing(r, result), show: (r) =>
        r === result ? 'this one' : shown(differing(r, result)) },
    ] }).node : null,
    report.against ? against(report) : null,
  ];
}
