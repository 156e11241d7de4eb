// SPDX-License-Identifier: Apache-2.0
// page_lib.mjs: opens pages for page.mjs in the browser, changes their results, and reads what they show.
import { createRequire } from 'node:module';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../package.json', import.meta.url));
const { chromium } = require('playwright-core');
const [, , executablePath, folder] = process.argv;
export const browser = await chromium.launch({ executablePath });

// A new page; `bad` has its errors and its requests to the network.
export async function open(name, options = {}, hash = '') {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  const url = pathToFileURL(join(folder, name)).href, bad = [];
  await page.addInitScript(() => { // like a browser that keeps nothing for files
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
      Object.defineProperty(window, name, { get() { throw new Error(`${name} is used`); } });
  });
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && bad.push(m.text()));
  page.on('pageerror', (e) => bad.push(String(e)));
  page.on('request', (r) => r.url().split('#')[0] !== url && !/^(data|blob):/.test(r.url()) && bad.push(r.url()));
  await page.goto(url + hash);
  await page.waitForSelector('#hold .answer');
  return { page, bad };
}

// Scrolls through the page so that each chart is drawn. Returns their number.
export async function drawAll(page) {
  const charts = await page.locator('.chart').all();
  for (const chart of charts) {
    await chart.scrollIntoViewIfNeeded();
    await chart.locator('canvas').first().waitFor();
  }
  return charts.length;
}

// Writes NAME: small.html with other results. CHANGE edits a copy of its report.
export function write(name, change) {
  const text = readFileSync(join(folder, 'small.html'), 'utf8');
  const found = /(<script type="application\/json" id="results">)([^]*?)(<\/script>)/.exec(text);
  const report = JSON.parse(found[2]);
  change(report);
  writeFileSync(join(folder, `${name}.new`), text.replace(found[0], () =>
    found[1] + JSON.stringify(report).replace(/</g, '\\u003c') + found[3]));
  renameSync(join(folder, `${name}.new`), join(folder, name));
}

// The same, and opens it.
export function vary(name, change) {
  write(name, change);
  return open(name);
}

// The result of a kernel with N variants of one parameter; FATES has the status of each.
export function tuned(report, fates, more = {}) {
  const kernel = { ...structuredClone(report.kernels[0]), ...more };
  const right = fates.filter((fate) => fate === 'right').length;
  kernel.variants = { ...kernel.variants, tried: fates.length, exist: fates.length, right };
  const of = fates.map((_, i) => i), ran = fates.map((fate, i) => fate === 'right' ? 0.001 * (i + 1) : null);
  for (const fate of fates.filter((name) => name !== 'right'))
    kernel.variants[fate] = fates.filter((name) => name === fate).length;
  kernel.columns = { fate: fates.map((fate) => Object.keys(report.fates).indexOf(fate)),
    median: ran, low: ran, high: ran, runs: ran.map((t) => t === null ? 0 : 8),
    parameters: [{ name: 'U', values: fates.map((_, i) => String(i)), of }],
    compiler: { texts: ['clang 22.1.8'], of: fates.map(() => 0) },
    message: { texts: ['', ...fates.map((_, i) => `x[${i}] is ${i}.5, not 1e-${i}`)],
               of: fates.map((fate, i) => fate === 'right' ? 0 : i + 1) } };
  kernel.influence = right < 2 ? [] : [{ parameter: 'U', ratio: right, chosen: '0',
    values: of.map((i) => ({ value: String(i), best: 0.001 * (i + 1), variants: 1 })) }];
  return kernel;
}

// What CLICK makes the page save: [name, bytes].
export async function saved(page, click) {
  const [file] = await Promise.all([page.waitForEvent('download'), click]);
  return [file.suggestedFilename(), readFileSync(await file.path())];
}

// The names of the series of the chart ID, and how many points each has.
export const series = (page, id) => page.evaluate((id) => document.getElementById(id).chart.getOption().series
  .map((s) => [s.name ?? '', s.data.length]), id);

// Texts of the N-th column of the table called NAME.
export const column = (page, name, n) =>
  page.locator(`[aria-label="${name}"] tbody td:nth-child(${n})`).allTextContents();
export const seconds = (text) => {
  const [, x, unit] = /^([\d.]+)\s(\S+)$/.exec(text);
  return x * { s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 }[unit];
};
export const rising = (list) => list.every((x, i) => i === 0 || list[i - 1] <= x);
