// SPDX-License-Identifier: Apache-2.0
// build.mjs OUT: bundles src/ and page.css into page.html. The policy in the page lets a browser run this
// script and no other, and fetch nothing, whatever stands in the results.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const common = {
  absWorkingDir: here, bundle: true, minify: true, write: false, charset: 'utf8',
  legalComments: 'inline', logLevel: 'warning', target: 'es2020',
};

async function bundle(entry, more) {
  const result = await build({ ...common, ...more, entryPoints: [entry] });
  return result.outputFiles[0].text.trim();
}

function put(page, name, text) {
  const parts = page.split(`@${name}@`);
  if (parts.length !== 2)
    throw new Error(`page.html: @${name}@ stands ${parts.length - 1} times in it`);
  return parts.join(text);
}

const script = await bundle('src/main.js', { format: 'iife' });
const style = await bundle('page.css', {});
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
  throw new Error('the bundle would end its own element');
const hash = createHash('sha256').update(script).digest('base64');
let page = readFileSync(join(here, 'page.html'), 'utf8');
page = put(page, 'HASH', `sha256-${hash}`);
page = put(page, 'STYLE', style);
page = put(page, 'SCRIPT', script);
if (page.split('@RESULTS@').length !== 2)
  throw new Error('there must be one place for the results');
writeFileSync(process.argv[2], page);
