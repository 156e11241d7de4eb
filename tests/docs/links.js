// SPDX-License-Identifier: Apache-2.0
// links.js ROOT: the targets of the pages' links exist, headings included, and the paths that they name.
'use strict';
const fs = require('fs'), path = require('path');
const root = process.argv[2];

let failures = 0, links = 0;
const pages = ['.', 'docs', 'examples', 'examples/cuda', 'emulator'].flatMap(folder =>
  fs.readdirSync(path.join(root, folder)).filter(f => f.endsWith('.md')).map(f => path.join(root, folder, f)));

const text_of = page => fs.readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '').replace(/^    .*$/gm, '');
// The anchors that GitHub makes of headings.
const slug = heading => heading.trim().toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replace(/ /g, '-');

function anchors(page) {
  const text = text_of(page);
  return new Set([...[...text.matchAll(/^#+ (.*)$/gm)].map(m => slug(m[1])),
                  ...[...text.matchAll(/<a id="([^"]+)">/g)].map(m => m[1])]);
}

for (const page of pages)
  for (const [, target] of text_of(page).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target))
      continue;
    const [file, anchor] = target.split('#'), to = file ? path.join(path.dirname(page), file) : page;
    links++;
    if (!fs.existsSync(to) || (anchor && !anchors(to).has(anchor))) {
      console.log(`FAILED: ${path.relative(root, page)}: there is no ${target}`);
      failures++;
    }
  }
// Paths of the repository that these pages name exist. NAME stands for a name to choose.
let paths = 0;
for (const page of ['CONTRIBUTING.md', 'docs/design.md'])
  for (const [named] of fs.readFileSync(path.join(root, page), 'utf8')
    .matchAll(/(?<![\w./-])(?:runtime|translator|emulator|include|tests|cmake|docs)\/[\w./-]*\w/g)) {
    const known = named.replace(/\/NAME\b.*/, '');
    paths++;
    if (!fs.existsSync(path.join(root, known))) {
      console.log(`FAILED: ${page}: there is no ${known}`);
      failures++;
    }
  }

console.log(`${pages.length} pages, ${links} links, ${paths} paths, ${failures} failures`);
process.exit(failures || links < 50 || paths < 50 ? 1 : 0);
