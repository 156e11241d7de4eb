// SPDX-License-Identifier: Apache-2.0
// Why this variant? What each parameter, each pair and all together did to the time.
import { axis, chart, grid, lines, listed, logAxis } from './chart.js';
import { code } from './code.js';
import { settings, winnerRow } from './data.js';
import { choose, figure, h, values } from './dom.js';
import { explore } from './explore.js';
import * as f from './format.js';
import { parallel } from './parallel.js';
import { bestByPair, jitter, thin, variation } from './statistics.js';
import { variantsTable } from './variants.js';

const short = (text, n) => f.middle(text, n) || '""';

// Few variants tell parameters apart badly.
const few = (result) => result.ran.length < 3 * result.influence.filter((one) => one.values.length > 1).length;

function answer(result) {
  if (result.ran.length === 0)
    return 'No variant ran and was right, so there is nothing to compare.';
  const first = result.influence[0];
  const head = result.winner || !result.finished ? '' : result.own_calls ?
    'The default stays: what won is not clearly faster in the program. ' :
    `The default stays: no variant was ${result.faster} beyond the noise. `;
  if (!first || !(first.ratio > 1.01))
    return `${head}No parameter mattered: all of their values are within 1 % of each other.`;
  const next = result.influence[1];
  return `${head}${first.parameter} mattered most: ${f.factor(first.ratio)} between its best and its worst ` +
    (next && next.ratio > 1.01 ? `value; then ${next.parameter}: ${f.factor(next.ratio)}.` : 'value.') +
    (few(result) ? ` Only ${f.many(result.ran.length, 'variant')} ran and ${result.ran.length === 1 ? 'was' : 'were'} ` +
      'right, so mind this as a hint.' : '');
}

function influenceChart(result, select) {
  const list = result.influence.filter((one) => one.values.length > 1).slice(0, 12).reverse();
  if (list.length === 0)
    return null;
  const one = chart({
    label: () => `Influence of each parameter: ${listed(list.slice().reverse().map((i) =>
      `${i.parameter} ${f.factor(i.ratio)}`))}`,
    height: 50 + 26 * list.length,
    ready: (c) => c.on('click', (e) => select(list[e.dataIndex].parameter)),
    option: (c, narrow) => ({
      grid: grid({ right: 60 }),
      xAxis: logAxis(c, 1, Math.max(1.2, ...list.map((i) => i.ratio)), { min: 1, nameLocation: 'middle',
        name: 'worst value over best value', nameGap: 24 }),
      yAxis: axis(c, { type: 'category', data: list.map((i) => i.parameter), splitLine: { show: false },
        axisLabel: { hideOverlap: false, formatter: (name) => f.fit(name, narrow ? 120 : 190) } }),
      tooltip: { trigger: 'item', formatter: ({ dataIndex: i }) => lines(list[i].parameter,
        ...list[i].values.slice(0, 12).map((v) => `${v.value || '""'}: ${result.cost(v.best)}` +
          (v.value === list[i].chosen ? ', the winner’s' : ''))) },
      series: [{ type: 'bar', barMaxWidth: 14, cursor: 'pointer', data: list.map((i) => i.ratio),
        itemStyle: { color: c.best, borderRadius: [0, 2, 2, 0] },
        label: { show: true, position: 'right', color: c.text,
                 formatter: ({ value }) => f.factor(value) } }],
    }),
  });
  return figure('Influence of each parameter', `the best ${result.measure} with its worst value over that with its best`,
    one.node);
}

function valueChart(result) {
  const list = result.parameters.filter((p) => p.values.length > 1);
  if (list.length === 0 || result.ran.length === 0)
    return { node: null, select() {} };
  let p = list[0];
  const winner = winnerRow(result);
  const fastest = result.median[result.ran[0]], slowest = result.median[result.ran.at(-1)];
  const bests = () => p.values.map((_, v) => result.ran.find((i) => p.of[i] === v))
    .map((i, v) => i === undefined ? null : [v, result.median[i]]).filter(Boolean);
  const one = chart({
    label: () => `${result.Measure} of every variant by ${p.name}. The best with each value: ` +
      listed(bests().map(([v, t]) => `${p.values[v] || '""'} ${result.cost(t)}`)),
    height: 300, grows: 560, id: 'by-value',
    option: (c, narrow) => {
      const best = bests();
      const points = result.ran.filter((i) => p.of[i] >= 0);
      return {
        grid: grid({ top: 16 }),
        xAxis: axis(c, { type: 'value', min: -0.6, max: p.values.length - 0.4, interval: 1,
          splitLine: { show: false },
          axisLabel: { customValues: p.values.map((_, i) => i),
            formatter: (v) => short(p.values[v] ?? '', narrow ? 8 : 18) } }),
        yAxis: logAxis(c, fastest, slowest, { axisLabel: { formatter: result.cost } }),
        tooltip: { trigger: 'item', formatter: ({ data, seriesIndex }) => seriesIndex === 0
          ? lines(result.cost(data[1]), settings(result, data[2]))
          : lines(result.cost(data[1]), seriesIndex === 1 ? 'the best with this value' : 'the winner') },
        series: [
          { type: 'scatter', large: points.length > 2000, largeThreshold: 2000,
            symbolSize: points.length > 2000 ? 2 : 5, itemStyle: { color: c.other, opacity: 0.6 },
            data: points.map((i) => [p.of[i] + 0.6 * jitter(i), result.median[i], i]) },
          { type: 'line', data: best, symbol: 'circle', symbolSize: 7, lineStyle: { color: c.best, width: 1.5 },
            itemStyle: { color: c.best } },
          { type: 'scatter', symbol: 'diamond', symbolSize: 13, z: 5,
            itemStyle: { color: c.text, borderColor: c.surface, borderWidth: 1.5 },
            data: winner >= 0 && p.of[winner] >= 0 ? [[p.of[winner], result.median[winner]]] : [] },
        ],
      };
    },
  });
  const picker = choose('Parameter', list.map((q) => q.name), 0, (k) => show(list[k]));
  function show(q) {
    p = q;
    one.redraw();
  }
  return {
    node: figure('Every variant by one parameter',
      'the line joins the best with each value' + (winner >= 0 ? '; the diamond is the winner' : ''), picker, one.node),
    select(name) {
      const k = list.findIndex((q) => q.name === name);
      if (k >= 0) {
        picker.querySelector('select').value = k;
        show(list[k]);
      }
    },
  };
}

// Of the two colours of text the one that is easier to read on the colour between FROM and TO.
function inkOn(c, from, to, share) {
  const light = (hex) => [1, 3, 5].map((i) => (parseInt(hex.slice(i, i + 2), 16) / 255) ** 2.2)
    .reduce((sum, x, i) => sum + [0.2126, 0.7152, 0.0722][i] * x, 0);
  const ground = light(from) + (light(to) - light(from)) * share;
  const contrast = (ink) => Math.abs(Math.log((light(ink) + 0.05) / (ground + 0.05)));
  return contrast(c.ink) > contrast(c.surface) ? c.ink : c.surface;
}

function heat(c, data, low, high, from, to) {
  const max = high > low ? high : low + 1;
  const ink = (x) => inkOn(c, from, to, (x - low) / (max - low));
  return { visualMap: { type: 'continuous', show: false, min: low, max,
    dimension: 2, seriesIndex: 0, inRange: { color: [from, to] } },
    series: [{ type: 'heatmap',
      data: data.map((value) => ({ value, label: { color: ink(value[2]) } })),
      itemStyle: { borderColor: c.surface, borderWidth: 2, borderRadius: 3 } }] };
}

const square = (n) => Math.min(440, 120 + 32 * n);

function variationChart(result, select) {
  const v = variation(result, 10);
  const n = v.parameters.length;
  if (n < 2)
    return null;
  const cells = [];
  v.parameters.forEach((p, i) => {
    cells.push([i, i, v.single[i]]);
    for (let j = 0; j < i; j++)
      if (v.pair[i][j] !== null)
        cells.push([j, i, v.pair[i][j]]);
  });
  const names = v.parameters.map((p) => p.name);
  const one = chart({
    label: () => `Share of the differences that each explains: ${listed(cells.slice().sort((a, b) => b[2] - a[2])
      .map(([j, i, s]) => `${i === j ? names[i] : `${names[j]} with ${names[i]}`} ${f.percent(s)}`))}`,
    height: square(n),
    ready: (c) => c.on('click', ({ value }) => select(value[0], value[1], v.parameters)),
    option: (c, narrow) => {
      const h2 = heat(c, cells, 0, Math.max(...cells.map((x) => x[2]), 0.05), c.cold, c.best);
      h2.series[0].cursor = 'pointer';
      h2.series[0].label = { fontSize: 11, show: true,
        formatter: ({ value }) => value[2] >= 0.005 ? `${Math.round(100 * value[2])}` : '·' };
      return { ...h2, grid: grid({ right: 8 }),
        xAxis: axis(c, { type: 'category', data: names, splitLine: { show: false },
          axisLabel: { rotate: 40, hideOverlap: false, formatter: (name) => f.fit(name, narrow ? 90 : 130) } }),
        yAxis: axis(c, { type: 'category', data: names, inverse: true, splitLine: { show: false },
          axisLabel: { hideOverlap: false, formatter: (name) => f.fit(name, narrow ? 80 : 150) } }),
        tooltip: { trigger: 'item', formatter: ({ value: [j, i, share] }) => i === j
          ? lines(names[i], `explains ${f.percent(share)} alone`)
          : lines(`${names[j]} and ${names[i]}`,
              `explain ${f.percent(share)} more together than each alone`) } };
    },
  });
  return figure('What explains the differences', 'percent of the variation of the ' +
    `${result.timed ? 'times' : 'costs'}: each alone on the ` +
    'diagonal, below it what a pair adds' + (v.left ? `; ${v.left} lesser parameters are left out` : ''),
    one.node);
}

function pairChart(result) {
  const list = result.parameters.filter((p) => p.values.length > 1);
  if (list.length < 2)
    return { node: null, select() {} };
  let a = 0, b = 1;
  const said = () => bestByPair(result, list[a], list[b]).sort((x, y) => x[2] - y[2])
    .map(([i, j, t]) => `${list[a].values[i] || '""'} with ${list[b].values[j] || '""'} ${result.cost(t)}`);
  const one = chart({
    label: () => `Best ${result.measure} by ${list[a].name} and ${list[b].name}: ${listed(said())}`,
    height: 300, grows: 560, id: 'by-pair',
    option: (c, narrow) => {
      const p = list[a], q = list[b];
      const cells = bestByPair(result, p, q).map(([i, j, t]) => [i, j, Math.log10(t), t]);
      const logs = cells.map((x) => x[2]);
      const h2 = heat(c, cells, Math.min(...logs), Math.max(...logs), c.best, c.cold);
      h2.series[0].label = { show: cells.length <= (narrow ? 16 : 36), fontSize: 11,
        formatter: ({ value }) => result.cost(value[3]) };
      const names = (r) => r.values.map((v) => short(v, narrow ? 8 : 16));
      return { ...h2, grid: grid({ top: 28, right: 8, bottom: 22 }),
        xAxis: axis(c, { type: 'category', data: names(p), splitLine: { show: false }, name: p.name,
          nameLocation: 'middle', nameGap: 24 }),
        yAxis: axis(c, { type: 'category', data: names(q), splitLine: { show: false }, name: f.middle(q.name, 30),
          nameTextStyle: { color: c.quiet, fontSize: 12, align: 'left' } }),
        tooltip: { trigger: 'item', formatter: ({ value: [i, j, , t] }) => lines(result.cost(t),
          `${p.name}=${p.values[i]}`, `${q.name}=${q.values[j]}`) } };
    },
  });
  const names = list.map((p) => p.name);
  const across = choose('Across', names, a, (k) => { a = k; one.redraw(); });
  const up = choose('Up', names, b, (k) => { b = k; one.redraw(); });
  return {
    node: figure(`Best ${result.measure} by two parameters`, `the stronger the blue, the ${result.faster}; empty: not tried`,
      h('div', { class: 'pickers' }, across, up),
      one.node),
    select(p, q) {
      if (p === q)
        return;
      across.querySelector('select').value = a = list.indexOf(p);
      up.querySelector('select').value = b = list.indexOf(q);
      one.redraw();
    },
  };
}

// What is not said by the winner's values themselves.
function notes(result) {
  const list = [result.compiler ? `Compiled by ${result.compiler}.` : ''];
  const named = Object.keys(result.winner).map((name) => /^(.+)@(\d+)\.(\d+)$/.exec(name)).find(Boolean);
  if (named)
    list.push(`${named[0]}: number ${named[3]} of what the ${named[1]} in line ${named[2]} leaves to be chosen.`);
  const row = winnerRow(result);
  if (result.ran.length && row !== result.ran[0] && !result.source)
    list.push(`It is not the ${result.fastest} below: a race between the ${result.fastest}, in turns, decided at the ` +
      'end; what is below is from before it.');
  return list.filter(Boolean).join(' ');
}

export function why(result, report, select, choices) {
  const parts = [h('p', { class: 'answer' }, answer(result))];
  if (result.winner)
    parts.push(h('h3', {}, 'The winner'), values(result.winner), h('p', { class: 'note' }, notes(result)));
  if (result.ran.length === 0)
    return [...parts, code(result), result.n ? variantsTable(result).node : null];
  const byValue = valueChart(result), byPair = pairChart(result);
  const lists = variantsTable(result);
  parts.push(h('div', { class: 'columns' },
    influenceChart(result, byValue.select), byValue.node,
    variationChart(result, (i, j, ps) => {
      byPair.select(ps[i], ps[j]);
      byValue.select(ps[j].name);
    }), byPair.node));
  parts.push(code(result), explore(result, choices), parallel(result, lists.setRows, thin), h('h3', {}, 'All variants'), lists.node);
  return parts;
}
