// SPDX-License-Identifier: Apache-2.0
// What did I gain? All results, the default against the best.
import { axis, chart, grid, lines, listed, logAxis } from './chart.js';
import { current, speedup } from './data.js';
import { figure, h } from './dom.js';
import * as f from './format.js';
import { table } from './table.js';

const MOST_BARS = 40, MOST_OF_A_NAME = 72;

const wordFor = (results) => results.every((r) => r.timed) ? 'faster' : 'better';

function answer(report) {
  const gains = current(report).map((r) => ({ r, s: speedup(r) })).filter((g) => g.s);
  const won = gains.filter((g) => !g.s.stays && g.s.ratio > 1), faster = wordFor(gains.map((g) => g.r));
  if (gains.length === 0)
    return 'No tuning has come to its end yet.';
  if (won.length === 0)
    return `Nothing was ${faster} than the default, beyond the noise: it stays.`;
  const top = won.reduce((a, b) => b.s.ratio > a.s.ratio ? b : a);
  if (gains.length === 1)
    return `${top.r.kernel} takes ${top.r.cost(top.r.best.median)} a call in place of ` +
      `${top.r.cost(top.r.default.median)}: ${f.factor(top.s.ratio)} as ${top.r.timed ? 'fast' : 'good'}.`;
  const mean = Math.exp(gains.reduce((sum, g) => sum + Math.log(g.s.ratio), 0) / gains.length);
  return `${won.length} of ${gains.length} results are ${faster} than their defaults, ` +
    `${f.factor(mean)} in the geometric mean; most of all ${top.r.label}: ${f.factor(top.s.ratio)}.`;
}

function gainChart(report, select) {
  const all = current(report).map((r) => ({ r, s: speedup(r) })).filter((g) => g.s)
    .sort((a, b) => a.s.ratio - b.s.ratio);
  if (all.length < 2)
    return null;
  const gains = all.slice(-MOST_BARS), left = all.length - gains.length, step = gains.length > 14 ? 18 : 26;
  const one = chart({
    label: () => `Speed-up over the default: ${listed(gains.slice().reverse().map((g) =>
      `${g.r.label}: ${f.factor(g.s.ratio)}`))}`,
    height: 50 + step * gains.length,
    ready: (c) => c.on('click', (e) => select(gains[e.dataIndex].r.index)),
    option: (c, narrow) => ({
      grid: grid({ right: narrow ? 52 : 64 }),
      xAxis: logAxis(c, Math.min(1, gains[0].s.ratio), Math.max(1.2, ...gains.map((g) => g.s.high || g.s.ratio)), {
        name: `times as ${wordFor(all.map((g) => g.r)) === 'faster' ? 'fast' : 'good'} as the default`,
        nameLocation: 'middle', nameGap: 24 }),
      yAxis: axis(c, { type: 'category', data: gains.map((g) => g.r.label), splitLine: { show: false },
        axisLabel: { hideOverlap: false, formatter: (name) => f.fit(name, narrow ? 100 : 250) } }),
      tooltip: { trigger: 'item', formatter: ({ dataIndex: i }) => lines(gains[i].r.label,
        `${gains[i].r.cost(gains[i].r.default.median)} → ${gains[i].r.cost(gains[i].r.best.median)}`,
        gains[i].s.low ? `95 %: ${f.factor(gains[i].s.low)} … ${f.factor(gains[i].s.high)}` : '') },
      series: [
        { type: 'bar', barMaxWidth: 14, cursor: 'pointer', itemStyle: { color: c.best, borderRadius: [0, 2, 2, 0] },
          data: gains.map((g) => g.s.ratio) },
        { type: 'custom', silent: true, z: 3,
          data: gains.map((g, i) => [i, g.s.low ?? g.s.ratio, g.s.high ?? g.s.ratio]),
          renderItem: (params, api) => {
            const [a, b] = [1, 2].map((d) => api.coord([api.value(d), api.value(0)]));
            const g = gains[api.value(0)], end = Math.max(b[0], api.coord([g.s.ratio, api.value(0)])[0]);
            const line = (x1, y1, x2, y2) => ({ type: 'line', shape: { x1, y1, x2, y2 },
              style: { stroke: c.text, lineWidth: 1.2 } });
            const text = { type: 'text', style: { text: f.factor(g.s.ratio), x: end + 8, y: b[1], fill: c.text,
              fontSize: 12, fontFamily: c.font, verticalAlign: 'middle' } };
            return { type: 'group', children: g.s.low ? [line(a[0], a[1], b[0], b[1]),
              line(a[0], a[1] - 3, a[0], a[1] + 3), line(b[0], b[1] - 3, b[0], b[1] + 3), text] : [text] };
          } },
      ],
    }),
  });
  return figure('Speed-up', 'the whisker is what both 95 % intervals allow' +
    (left ? `; the ${f.many(left, 'lesser result')} are in the table only` : ''), one.node);
}

export function gain(report, select) {
  const s = new Map(report.kernels.map((r) => [r, speedup(r)]));
  // over the same code with the same flags; null: not measured
  const beyond = (r) => r.winner && r.as_written > 0 && r.best?.median > 0 ? r.as_written / r.best.median : null;
  const state = (r) => r.stale ? `stale: ${r.stale}` : r.borrowed ? r.borrowed : !r.finished ? 'not finished' : !r.winner ? 'the default stays'
    : r.verified ? 'verified' : 'unverified';
  const stays = report.kernels.some((r) => r.finished && !r.winner && r.best?.median < r.default?.median);
  const machines = new Set(report.kernels.map((r) => r.cpu + r.isa + r.threads));
  const results = table({
    name: 'results', rows: report.kernels, perPage: 12, columns: [
      { title: 'Kernel', soft: true, value: (r) => r.kernel, show: (r) =>
        h('button', { type: 'button', class: 'link', onclick: () => select(r.index), title: r.kernel },
          f.middle(r.kernel, MOST_OF_A_NAME)) },
      { title: 'For', soft: true, value: (r) => r.keyText, show: (r) => r.keyText || f.none },
      ...(machines.size > 1 ? [{ title: 'On', value: (r) => r.cpu,
        show: f.place }] : []),
      { title: 'Default', number: true, value: (r) => r.default?.median ?? null,
        show: (r) => r.cost(r.default?.median) },
      { title: '95 % interval', number: true, value: (r) => r.default?.low ?? null,
        show: (r) => f.interval(r.default, r.cost) },
      { title: 'Best', number: true, value: (r) => r.best?.median ?? null,
        show: (r) => r.cost(r.best?.median) },
      { title: '95 % interval', number: true, value: (r) => r.best?.low ?? null,
        show: (r) => f.interval(r.best, r.cost) },
      { title: 'Speed-up', number: true, value: (r) => s.get(r)?.ratio ?? null,
        show: (r) => f.factor(s.get(r)?.ratio) },
      ...(report.kernels.some(beyond) ? [{ title: 'Over its flags alone', number: true, value: beyond,
        show: (r) => f.factor(beyond(r)) }] : []),
      { title: 'Answers', soft: true, value: state, show: state },
    ],
  });
  return [h('p', { class: 'answer' }, answer(report)), h('div', { class: 'beside' }, gainChart(report, select), results.node),
    stays ? h('p', { class: 'note' }, 'Where the default stays, the best is the fastest variant: it was not faster ' +
      'than the default beyond the noise, or not clearly faster in the program.') : null];
}
