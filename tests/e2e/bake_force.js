// SPDX-License-Identifier: Apache-2.0
// bake_force.js SOURCE WISDOM: for each winner on standard input a line of wisdom as if it had been found:
//
//   matmul 37: THREADS=2 tile=32/64/256 interchange=(1,2,3)
//
// is for key 37. Sets without a name are called by their directive and come in the order of their lines; what is not
// mentioned is as `autotune check` says the default is. WISDOM has one line of each kernel, from this machine.
const fs = require('fs');
const { execFileSync } = require('child_process');

const [, , source, wisdom] = process.argv;
const check = execFileSync('autotune', ['check', source], { encoding: 'utf8' });

const params = {}; // of each kernel: [{ name, value }]
let list = null, kernel;
for (const line of check.split('\n')) {
  kernel = (/: kernel (\w+)$/.exec(line) || [0, kernel])[1];
  if (!line.startsWith('    '))
    list = line === '  parameters' ? (params[kernel] = []) : null;
  else if (list) {
    const [, name, about] = /^    (\S+) +(.*)$/.exec(line);
    const first = /^(".*?"|\([^)]*\)|[^,;]*)/.exec(about)[1];
    list.push({ name, value: (/; default ([^;]*)/.exec(about) || [0, first])[1].replace(/^"|"$/g, '') });
  }
}

const lines = {};
for (const text of fs.readFileSync(wisdom, 'utf8').trim().split('\n'))
  lines[JSON.parse(text).kernel] = JSON.parse(text);

for (const winner of fs.readFileSync(0, 'utf8').trim().split('\n')) {
  const [, name, key, chosen] = /^(\w+) ([-\d ]+): *(.*)$/.exec(winner);
  const values = Object.fromEntries(params[name].map((p) => [p.name, p.value]));
  for (const choice of chosen.split(' ').filter(Boolean)) {
    const [, what, all] = /^(\w+)=(.*)$/.exec(choice);
    const named = params[name].filter((p) => p.name === what || p.name.startsWith(`${what}@`));
    const given = all.split('/');
    if (named.length !== given.length)
      throw new Error(`${winner}: ${what} has ${named.length} sets`);
    named.forEach((p, i) => { values[p.name] = given[i]; });
  }
  const line = { ...lines[name], values, text: '0000000000000000' };
  const keys = key.split(' ').map(Number);
  line.key = line.key.map(([what], i) => [what, keys[i]]);
  delete line.sum;
  console.log(JSON.stringify(line));
}
