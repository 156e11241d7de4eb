// SPDX-License-Identifier: Apache-2.0
// Every variant in a table.
import { fateNames, settings, settingsList } from './data.js';
import { h, pieces, save } from './dom.js';
import * as f from './format.js';
import { table } from './table.js';

// All variants as CSV (RFC 4180): costs in their basic unit (times in seconds), sizes in bytes, and nothing where it is not known.
function csv(result) {
  const c = result.columns, at = (name) => (i) => c[name]?.[i];
  const columns = [
    ['trial', (i) => i + 1], ...['median', 'low', 'high', 'runs', 'slowdown', 'part', 'size', 'compiling', 'verifying', 'timing', 'when']
      .map((name) => [name, at(name)]),
    ['compiler', (i) => c.compiler.texts[c.compiler.of[i]]], ['fate', (i) => result.fate[i]],
    ...result.parameters.map((p) => [p.name, (i) => p.values[p.of[i]]]), ['message', (i) => c.message.texts[c.message.of[i]]],
  ];
  const cell = (value) => {
    const text = String(value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [columns.map(([name]) => cell(name)), ...Array.from({ length: result.n }, (_, i) =>
    columns.map(([, of]) => cell(of(i))))].map((row) => `${row.join(',')}\r\n`).join('');
}

function saveCsv(result) {
  const url = URL.createObjectURL(new Blob([csv(result)], { type: 'text/csv' }));
  save(`${result.label} variants.csv`, url);
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

export function variantsTable(result) {
  const c = result.columns;
  const best = result.ran.length ? result.median[result.ran[0]] : NaN;
  const fate = (i) => fateNames[result.fate[i]];
  const low = (i) => c.low[i];
  return table({
    more: h('button', { type: 'button', 'aria-label': 'Save all variants as CSV', onclick: () => saveCsv(result) }, 'CSV'),
    name: 'variants', rows: Array.from({ length: result.n }, (_, i) => i), sort: 1, columns: [
      { title: 'Trial', number: true, value: (i) => i + 1, show: (i) => f.count(i + 1) },
      { title: 'Median', number: true, value: (i) => result.median[i],
        search: (i) => result.cost(result.median[i]), show: (i) => result.cost(result.median[i]) },
      { title: '95 % interval', number: true, value: low, search: () => '',
        show: (i) => f.interval({ samples: c.runs[i], low: c.low[i], high: c.high[i] }, result.cost) },
      { title: 'Over the best', number: true, value: (i) => result.median[i] / best, search: () => '',
        show: (i) => f.factor(result.median[i] / best) },
      { title: 'Runs', number: true, value: (i) => c.runs[i], search: () => '',
        show: (i) => c.runs[i] === null ? f.none : `${f.count(c.runs[i])}${c.part?.[i] ? ' in part' : ''}` },
      { title: 'Fate', value: fate, show: fate },
      { title: 'Parameters', wide: true, value: (i) => settings(result, i),
        show: (i) => pieces(settingsList(result, i)) },
    ],
  });
}
