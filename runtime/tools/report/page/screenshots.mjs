// SPDX-License-Identifier: Apache-2.0
// screenshots.mjs CHROMIUM REPORT.html FOLDER: the pictures in docs/, light, dark and narrow.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../../../../tests/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const [, , executablePath, report, folder] = process.argv;
const [, json] = /id="results">([^]*?)<\/script>/.exec(readFileSync(report, 'utf8'));
const results = JSON.parse(json);
const browser = await chromium.launch({ executablePath });

// FROM and TO: elements, the picture begins above the one and ends above the other; null: the page's ends.
// HASH: "#result-2" shows another result than the page would by itself.
async function picture(name, viewport, colorScheme, from, to, hash = '') {
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(pathToFileURL(resolve(report)).href + hash);
  for (const chart of await page.locator('.chart').all()) {
    await chart.scrollIntoViewIfNeeded();
    await chart.locator('canvas').first().waitFor();
  }
  await page.evaluate('scrollTo(0, 0)');
  const above = async (node) => (await page.locator(node).boundingBox()).y - 12;
  const y = from ? await above(from) : 0;
  const end = to ? await above(to) : await page.evaluate('document.documentElement.scrollHeight');
  await page.screenshot({ path: join(folder, name), fullPage: true,
    clip: { x: 0, y, width: viewport.width, height: end - y } });
}

const wide = { width: 1120, height: 900 };
await picture('page-light.png', wide, 'light', null, '.code');
await picture('page-dark.png', wide, 'dark', 'figure:has(#parallel)', 'h3:text-is("All variants")');
const both = results.kernels.findIndex((r) => r.winner && r.flops && r.bytes);
if (both >= 0)
  await picture('page-roofline.png', wide, 'light', '#better', '#better figure.whole', `#result-${both}`);
if (process.env.WHOLE) { // to look at while working on the page
  await picture('whole-light.png', wide, 'light', null, null);
  await picture('whole-dark.png', wide, 'dark', null, null);
  await picture('whole-narrow.png', { width: 360, height: 740 }, 'light', null, null);
}
await browser.close();
