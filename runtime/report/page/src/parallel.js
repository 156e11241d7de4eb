// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: a line for each variant through its value of each parameter and its time. What is
// brushed on the axes is what the table shows.
import { chart } from './chart.js';
import { winnerRow } from './data.js';
import { figure, h } from './dom.js';
import * as f from './format.js';

const MOST_LINES = 1500, MOST_AXES = 9;

export function parallel(result, setRows, thin) {
  const parameters = result.parameters.filter((p) => p.values.length > 1).slice(0, MOST_AXES);
  if (parameters.length === 0 || result.ran.length < 2)
    return null;
  const winner = winnerRow(result), time = parameters.length;
  const half = MOST_LINES / 2;
  const drawn = result.ran.length <= MOST_LINES ? result.ran
    : [...result.ran.slice(0, half), ...thin(result.ran.slice(half), half)];
  const tenth = result.median[result.ran[Math.floor(result.ran.length / 10)]];
  const absent = parameters.map((p) => drawn.some((i) => p.of[i] < 0)); // values that did not matter
  const place = (p, k, i) => p.of[i] < 0 ? p.values.length : p.of[i];
  const row = (i) => [...parameters.map((p, k) => place(p, k, i)), Math.log10(result.median[i])];
  const brushed = new Map(); // axis: its intervals

  const inside = (intervals, v) => intervals.some(([a, b]) => v >= a && v <= b);
  function choose() {
    const active = [...brushed].filter(([, intervals]) => intervals.length);
    const rows = active.length === 0 ? Array.from({ length: result.n }, (_, i) => i)
      : result.ran.filter((i) => active.every(([k, intervals]) =>
        inside(intervals, k === time ? Math.log10(result.median[i]) : place(parameters[k], k, i))));
    setRows(rows);
    clear.hidden = active.length === 0;
    status.textContent = active.length === 0 ? 'Drag along an axis to select.'
      : rows.length === 0 ? 'No variant is in all of these.'
      : `${f.many(rows.length, 'variant')} selected; the fastest takes ${f.seconds(result.median[rows[0]])}.`;
  }

  const one = chart({
    label: 'Parallel coordinates of the parameters and the time of each variant', id: 'parallel',
    height: (narrow) => narrow ? 90 + 52 * (time + 1) : 360,
    ready: (c) => c.on('axisareaselected', (e) => {
      for (const { parallelAxisId: id, intervals } of e.batch || [e])
        brushed.set(Number(String(id).slice(1)), intervals);
      choose();
    }),
    option: (c, narrow, width) => {
      if (brushed.size > 0) { // what is drawn anew has no brushes
        brushed.clear();
        choose();
      }
      return coordinates(c, narrow, width);
    },
  });
  const coordinates = (c, narrow, width) => ({
    parallel: { layout: narrow ? 'vertical' : 'horizontal', left: narrow ? 16 : 64, right: narrow ? 24 : 72,
      top: narrow ? 28 : 40, bottom: narrow ? 34 : 26,
      parallelAxisDefault: {
        nameLocation: narrow ? 'start' : 'end', nameGap: narrow ? 8 : 14,
        nameTextStyle: { color: c.text, fontSize: 11, align: narrow ? 'left' : 'center',
          verticalAlign: narrow ? 'bottom' : undefined, padding: narrow ? [0, 0, 8, 0] : 0 },
        nameTruncate: { maxWidth: narrow ? 200 : (width - 136) / time - 10, ellipsis: '…' },
        axisLine: { lineStyle: { color: c.quiet } }, axisTick: { show: false },
        areaSelectStyle: { width: 18, borderWidth: 1, borderColor: c.best, color: c.best, opacity: 0.25 },
      } },
    parallelAxis: [
      ...parameters.map((p, k) => ({ dim: k, id: `p${k}`, name: p.name, type: 'category',
        data: [...p.values.map((v) => v || '""'), ...(absent[k] ? ['–'] : [])],
        axisLabel: { color: c.quiet, fontSize: 11, width: narrow ? 48 : 84, overflow: 'truncate',
          textBorderColor: c.surface, textBorderWidth: 3 } })),
      { dim: time, id: `p${time}`, name: 'time', type: 'value', scale: true,
        axisLabel: { color: c.quiet, fontSize: 11, textBorderColor: c.surface, textBorderWidth: 3,
          formatter: (v) => f.seconds(Number((10 ** v).toPrecision(2))) } },
    ],
    tooltip: { show: false },
    series: [
      { type: 'parallel', silent: true, inactiveOpacity: 0.02, activeOpacity: 0.7,
        lineStyle: { color: c.other, width: 1, opacity: drawn.length > 400 ? 0.12 : 0.3 },
        data: drawn.filter((i) => result.median[i] > tenth).map(row) },
      { type: 'parallel', silent: true, inactiveOpacity: 0.02, activeOpacity: 0.9,
        lineStyle: { color: c.best, width: 1.3, opacity: drawn.length > 400 ? 0.35 : 0.7 },
        data: drawn.filter((i) => result.median[i] <= tenth).map(row) },
      { type: 'parallel', silent: true, inactiveOpacity: 0.15, activeOpacity: 1, z: 5,
        lineStyle: { color: c.text, width: 2.5, opacity: 1 },
        data: winner >= 0 ? [row(winner)] : [] },
    ],
  });
  const status = h('span', { class: 'status', role: 'status' });
  const clear = h('button', { type: 'button', hidden: true, onclick: () => one.redraw() }, 'Clear the selection');
  choose();
  const left = result.parameters.filter((p) => p.values.length > 1).length - parameters.length;
  return figure('All parameters at once', 'blue: the fastest tenth; bold: the winner' +
    (drawn.length < result.ran.length ? `; ${f.count(drawn.length)} of ${f.count(result.ran.length)} are ` +
      'drawn, the fastest among them, and all are selected from' : '') +
    (left ? `; the ${left} parameters that matter least are left out` : ''),
    one.node, h('div', { class: 'tools' }, status, clear));
}
