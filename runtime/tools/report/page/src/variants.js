// SPDX-License-Identifier: Apache-2.0
// Every variant in a table.
import { fateNames, settings, settingsList } from './data.js';
import { pieces } from './dom.js';
import * as f from './format.js';
import { table } from './table.js';

export function variantsTable(result) {
  const c = result.columns;
  const best = result.ran.length ? result.median[result.ran[0]] : NaN;
  const fate = (i) => fateNames[result.fate[i]];
  const low = (i) => c.low[i];
  return table({
    name: 'variants', rows: Array.from({ length: result.n }, (_, i) => i), sort: 1, columns: [
      { title: 'Trial', number: true, value: (i) => i + 1, show: (i) => f.count(i + 1) },
      { title: 'Median', number: true, value: (i) => result.median[i],
        search: (i) => f.seconds(result.median[i]), show: (i) => f.seconds(result.median[i]) },
      { title: '95 % interval', number: true, value: low, search: () => '',
        show: (i) => f.interval({ samples: c.runs[i], low: c.low[i], high: c.high[i] }) },
      { title: 'Over the best', number: true, value: (i) => result.median[i] / best, search: () => '',
        show: (i) => f.factor(result.median[i] / best) },
      { title: 'Runs', number: true, value: (i) => c.runs[i], search: () => '',
        show: (i) => c.runs[i] === null ? f.none : f.count(c.runs[i]) },
      { title: 'Fate', value: fate, show: fate },
      { title: 'Parameters', wide: true, value: (i) => settings(result, i),
        show: (i) => pieces(settingsList(result, i)) },
    ],
  });
}
