// SPDX-License-Identifier: Apache-2.0
// page.mjs CHROMIUM FOLDER: what small.html and large.html of page.sh do in a browser.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../../runtime/report/page/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const [, , executablePath, folder] = process.argv;
const browser = await chromium.launch({ executablePath });

// A page of its own; whatever it complains of or asks the network for is in `bad`.
async function open(name, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  const url = pathToFileURL(join(folder, name)).href, bad = [];
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && bad.push(m.text()));
  page.on('pageerror', (e) => bad.push(String(e)));
  page.on('request', (r) => r.url() !== url && !r.url().startsWith('data:') && bad.push(r.url()));
  await page.goto(url);
  await page.waitForSelector('#hold .answer');
  return { page, bad };
}

// Goes through the page so that each chart is drawn; how many there are.
async function drawAll(page) {
  const charts = await page.locator('.chart').all();
  for (const chart of charts) {
    await chart.scrollIntoViewIfNeeded();
    await chart.locator('canvas').first().waitFor();
  }
  return charts.length;
}

// Texts of the N-th column of the table called NAME.
const column = (page, name, n) =>
  page.locator(`[aria-label="${name}"] tbody td:nth-child(${n})`).allTextContents();
const seconds = (text) => {
  const [, x, unit] = /^([\d.]+)\s(\S+)$/.exec(text);
  return x * { s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 }[unit];
};
const rising = (list) => list.every((x, i) => i === 0 || list[i - 1] <= x);

const tests = {
  async 'answers all questions and complains of nothing'() {
    const { page, bad } = await open('small.html');
    assert.deepEqual(await page.locator('h2').allInnerTexts().then((l) => l.map((t) => t.split('?')[0])),
      ['What did I gain', 'Why this variant', 'Could it be better', 'What went wrong', 'What did it cost',
        'Where does it hold']);
    assert.match(await page.locator('#gain .answer').innerText(), /3 of 3 results are faster/);
    assert.ok(await drawAll(page) >= 4);
    assert.match(await page.locator('#hold').innerText(), /2 results? in both/);
    assert.deepEqual(bad, []);
  },

  async 'takes 50 000 variants whose texts are markup'() {
    const begin = Date.now();
    const { page, bad } = await open('large.html');
    const loaded = Date.now() - begin;
    assert.ok(await drawAll(page) >= 8);
    const drawn = Date.now() - begin;
    console.log(`50 000 variants: ${loaded} ms to load, ${drawn} ms until all charts are drawn`);
    assert.ok(loaded < 20000 && drawn < 60000, 'too slow');
    assert.ok(await page.locator('*').count() < 4000, 'too many elements');
    assert.equal(await page.evaluate('typeof bad'), 'undefined');
    assert.equal(await page.locator('img').count(), 0);
    assert.match(await page.locator('#gain tbody').innerText(), /<\/script><script>bad=1<\/script>/);
    assert.match(await page.locator('#wrong tbody').first().innerText(), /error: <img src=x onerror=bad=1> & "this"/);
    assert.deepEqual(bad, []);
  },

  async 'sorts and filters'() {
    const { page } = await open('large.html');
    const median = page.locator('[aria-label="variants"] th button', { hasText: 'Median' });
    assert.ok(rising((await column(page, 'variants', 2)).map(seconds)));
    await median.focus();
    await page.keyboard.press('Enter'); // was rising: falls now
    const falling = (await column(page, 'variants', 2)).map(seconds);
    assert.ok(rising(falling.slice().reverse()) && falling[0] > falling.at(-1));
    assert.equal(await page.locator('[aria-label="variants"] th[aria-sort="descending"]').innerText(), 'Median');
    await page.getByLabel('Filter variants').fill('TILE=64 fast-math');
    const shown = await column(page, 'variants', 7);
    assert.ok(shown.length > 5 && shown.every((t) => t.includes('TILE=64') && t.includes('-ffast-math')));
    const status = await page.locator('.table:has([aria-label="variants"]) .status').innerText();
    assert.match(status, /of 2\s776 \(50\s000 in all\)/); // i % 6 == 3 and i / 24 % 3 == 2
  },

  async 'brushes'() {
    const { page, bad } = await open('large.html');
    const chart = page.locator('#parallel');
    await chart.scrollIntoViewIfNeeded();
    await chart.locator('canvas').first().waitFor();
    const status = page.locator('figure:has(#parallel) .status');
    assert.match(await status.innerText(), /Drag along an axis/);
    // The most influential parameter comes first: TILE, 256 at the top of its axis.
    const at = await page.evaluate(() => {
      const { chart: c } = document.getElementById('parallel');
      const cs = c.getModel().getComponent('parallel').coordinateSystem;
      const [[x, y], [, next]] = [3, 2].map((v) => cs.dataToPoint(v, cs.dimensions[0]));
      return { x, y, gap: Math.abs(next - y) };
    });
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + at.x, box.y + at.y - at.gap * 0.4);
    await page.mouse.down();
    await page.mouse.move(box.x + at.x, box.y + at.y, { steps: 4 });
    await page.mouse.move(box.x + at.x, box.y + at.y + at.gap * 0.4, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(() => /selected/.test(document.querySelector('figure:has(#parallel) .status').innerText));
    const rows = await column(page, 'variants', 7);
    assert.ok(rows.length > 5 && rows.every((t) => t.includes('TILE=64 ') || t.endsWith('TILE=64')), rows[0]);
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    assert.match(await status.innerText(), /Drag along an axis/);
    assert.deepEqual(bad, []);
  },

  async 'shows another result'() {
    const { page } = await open('large.html');
    await page.locator('#gain tbody button', { hasText: 'scan' }).first().click();
    assert.match(await page.locator('#why h2').innerText(), /scan · n = /);
  },

  async 'is 360 px wide on a telephone'() {
    for (const name of ['small.html', 'large.html']) {
      const { page, bad } = await open(name, { viewport: { width: 360, height: 740 } });
      await drawAll(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
      assert.deepEqual(bad, []);
    }
  },

  async 'is dark where the system is, or when told to be'() {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await open('small.html', { colorScheme: 'light' });
    const dark = await open('small.html', { colorScheme: 'dark' });
    const [white, black] = [await ground(light.page), await ground(dark.page)];
    assert.notEqual(white, black);
    await light.page.getByLabel('Colours').selectOption({ label: 'dark' });
    assert.equal(await ground(light.page), black);
    await dark.page.getByLabel('Colours').selectOption({ label: 'light' });
    assert.equal(await ground(dark.page), white);
  },

  async 'goes by keyboard'() {
    const { page } = await open('small.html');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    const seen = new Set();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const [what, outline] = await page.evaluate(() => {
        const e = document.activeElement;
        return [`${e.tagName} ${e.getAttribute('aria-label') || e.innerText}`, getComputedStyle(e).outlineStyle];
      });
      if (what.startsWith('BODY'))
        break;
      assert.notEqual(outline, 'none', `${what}: focus cannot be seen`);
      seen.add(what.split(' ')[0]);
    }
    for (const tag of ['A', 'BUTTON', 'SELECT', 'DIV'])
      assert.ok(seen.has(tag), `${tag} is not reached`);
  },

  async 'prints'() {
    const { page, bad } = await open('small.html', { colorScheme: 'dark' });
    const pdf = await page.pdf({ format: 'A4' });
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('.bar').isVisible(), false);
    assert.deepEqual(bad, []);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok      ${name}`);
  } catch (e) {
    failed++;
    console.log(`FAILED  ${name}\n${e.stack}`);
  }
  for (const context of browser.contexts())
    await context.close();
}
await browser.close();
process.exit(failed ? 1 : 0);
