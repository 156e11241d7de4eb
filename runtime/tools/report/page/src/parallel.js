// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: a line for each variant through its value of each parameter and its time. What is
// brushed on the axes is what the table shows.
import { chart } from './chart.js';
import { winnerRow } from './data.js';
import { figure, h } from './dom.js';
import * as f from './format.js';

const MOST_LINES = 1500, MOST_AXES = 9, MOST_LABELS = 14;

const lastOf = (list) => list.length - 1;

// Times to choose from: the fastest, the slowest, and what parts of all are faster than.
function quantiles(result) {
  const at = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1].map((q) => Math.round(q * lastOf(result.ran)));
  return [...new Set(at)].map((k) => result.median[result.ran[k]]);
}

// axes: [{ name, texts, at: [place of each text], half: what a brush of one reaches to both sides, of(row) }].
function makeAxes(result, drawn) {
  const axes = result.parameters.filter((p) => p.values.length > 1).slice(0, MOST_AXES).map((p) => {
    const absent = drawn.some((i) => p.of[i] < 0); // a value that did not matter
    const texts = [...p.values.map((v) => v || '""'), ...(absent ? ['–'] : [])];
    return { name: p.name, texts, at: texts.map((_, v) => v), half: 0.45,
             of: (i) => p.of[i] < 0 ? p.values.length : p.of[i] };
  });
  const times = quantiles(result);
  axes.push({ name: result.measure, texts: times.map(result.cost), at: times.map(Math.log10), half: 1e-9,
              of: (i) => Math.log10(result.median[i]) });
  return axes;
}

export function parallel(result, setRows, thin) {
  const half = MOST_LINES / 2;
  const drawn = result.ran.length <= MOST_LINES ? result.ran
    : [...result.ran.slice(0, half), ...thin(result.ran.slice(half), half)];
  const axes = makeAxes(result, drawn), time = lastOf(axes);
  if (time === 0 || result.ran.length < 2)
    return null;
  const winner = winnerRow(result);
  const tenth = result.median[result.ran[Math.floor(result.ran.length / 10)]];
  const row = (i) => axes.map((axis) => axis.of(i));
  const brushed = new Map(); // axis: its intervals, one where it is of selects

  let asked = 0, last = '[]';
  const inside = (intervals, v) => intervals.some(([a, b]) => v >= a && v <= b);
  function choose() {
    const active = [...brushed].filter(([, intervals]) => intervals.length);
    cancelAnimationFrame(asked);
    asked = 0;
    const rows = active.length === 0 ? null
      : result.ran.filter((i) => active.every(([k, intervals]) => inside(intervals, axes[k].of(i))));
    if (JSON.stringify(active) !== last) // a chart that is drawn again says the same again
      setRows(rows);
    last = JSON.stringify(active);
    clear.hidden = active.length === 0;
    hint.hidden = active.length > 0;
    status.textContent = active.length === 0 ? ''
      : rows.length === 0 ? 'No variant is in all of these.'
      : `${f.many(rows.length, 'variant')} selected; the ${result.fastest} takes ${result.cost(result.median[rows[0]])}.`;
    selects.forEach((update) => update());
  }

  const chooseSoon = () => { // once for all moves of a mouse between two frames
    asked = asked || requestAnimationFrame(choose);
  };

  // Shows in the chart what is brushed; it tells so by the same event as a mouse does.
  function show(chart) {
    chart.dispatchAction({ type: 'axisAreaSelect', batch: axes.map((_, k) =>
      ({ parallelAxisId: `p${k}`, intervals: brushed.get(k) || [] })) });
    chart.resize(); // draws the areas
  }

  function brush(k, intervals) {
    brushed.set(k, intervals);
    if (one.chart())
      show(one.chart());
    choose();
  }

  const one = chart({
    label: () => 'Parallel coordinates: a line for each variant through its value of each parameter and its ' +
      `${result.measure}. ` +
      'The same is in the table of all variants; it can be selected from below.', id: 'parallel',
    height: (narrow) => narrow ? 90 + 52 * axes.length : 360, grows: 1100,
    ready: (c) => c.on('axisareaselected', (e) => {
      for (const { parallelAxisId: id, intervals } of e.batch || [e])
        brushed.set(Number(String(id).slice(1)), intervals);
      chooseSoon();
    }),
    option: (c, narrow, width) => coordinates(c, narrow, width),
    drawn: (c) => [...brushed.values()].some((intervals) => intervals.length) && show(c),
  });
  const coordinates = (c, narrow, width) => ({
    parallel: { layout: narrow ? 'vertical' : 'horizontal', left: narrow ? 24 : 64, right: narrow ? 24 : 72,
      top: narrow ? 28 : 40, bottom: narrow ? 34 : 26,
      parallelAxisDefault: {
        nameLocation: narrow ? 'start' : 'end', nameGap: narrow ? 8 : 14,
        nameTextStyle: { color: c.text, fontSize: 11, align: narrow ? 'left' : 'center',
          verticalAlign: narrow ? 'bottom' : undefined, padding: narrow ? [0, 0, 8, 0] : 0 },
        axisLine: { lineStyle: { color: c.quiet } }, axisTick: { show: false }, splitLine: { show: false },
        areaSelectStyle: { width: 18, borderWidth: 1, borderColor: c.best, color: c.best, opacity: 0.25 },
      } },
    parallelAxis: axes.map((axis, k) => {
      const gap = narrow ? (width - 40) / axis.texts.length : (width - 136) / time;
      const step = Math.ceil(axis.texts.length / MOST_LABELS);
      const label = { color: c.quiet, fontSize: 11, textBorderColor: c.surface, textBorderWidth: 3 };
      return k === time
        ? { dim: k, id: `p${k}`, name: axis.name, type: 'value', scale: true, splitNumber: narrow ? 3 : 6,
            axisLabel: { ...label, hideOverlap: true, formatter: (v) => result.cost(Number((10 ** v).toPrecision(2))) } }
        : { dim: k, id: `p${k}`, name: f.fit(axis.name, narrow ? 220 : gap - 8), type: 'value', min: -0.5,
            max: axis.texts.length - 0.5,
            axisLabel: { ...label, customValues: axis.at.filter((v) => v % step === 0),
              formatter: (v) => f.fit(axis.texts[v] ?? '', gap - 12) } };
    }),
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

  // From and to on each axis, for keyboards and fingers.
  const selects = [];
  const fields = axes.map((axis, k) => {
    const end = (what, first) => h('select', { 'aria-label': `${axis.name}, ${what}`, onchange: (e) => {
      const ends = [Number(from.value), Number(to.value)];
      const [a, b] = e.target === from ? [ends[0], Math.max(...ends)] : [Math.min(...ends), ends[1]];
      brush(k, a === 0 && b === lastOf(axis.texts) ? [] : [[axis.at[a] - axis.half, axis.at[b] + axis.half]]);
    } }, axis.texts.map((text, v) => h('option', { value: v, selected: v === first }, text)));
    const from = end('from', 0), to = end('to', lastOf(axis.texts));
    selects.push(() => {
      const [area] = brushed.get(k) || [];
      const met = axis.at.map((_, v) => v).filter((v) => !area || (axis.at[v] >= area[0] && axis.at[v] <= area[1]));
      from.value = met[0] ?? 0;
      to.value = met.at(-1) ?? lastOf(axis.texts);
    });
    return h('fieldset', {}, h('legend', {}, axis.name), from, h('span', {}, 'to'), to);
  });

  const status = h('span', { class: 'status', role: 'status' });
  const hint = h('span', { class: 'status drag' }, 'Drag along an axis to select.');
  const clear = h('button', { type: 'button', hidden: true, onclick: () => {
    brushed.clear();
    if (one.chart())
      show(one.chart());
    choose();
    summary.focus();
  } }, 'Clear the selection');
  const summary = h('summary', {}, 'Select without dragging');
  choose();
  const left = result.parameters.filter((p) => p.values.length > 1).length - time;
  return figure('All parameters at once', `blue: the ${result.fastest} tenth` + (winner >= 0 ? '; bold: the winner' : '') +
    (drawn.length < result.ran.length ? `; ${f.count(drawn.length)} of ${f.count(result.ran.length)} are ` +
      'drawn, the fastest among them, and all are selected from' : '') +
    (left ? `; the ${f.many(left, 'parameter')} that matter least are left out` : ''),
    one.node, h('div', { class: 'tools' }, hint, status, clear),
    h('details', { class: 'byhand' }, summary, h('div', { class: 'axes' }, fields)));
}
