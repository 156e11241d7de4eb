// SPDX-License-Identifier: Apache-2.0
// node schema.js SCHEMA FILE: does the JSON in FILE follow SCHEMA? As much of JSON Schema as the schemas
// beside this need; a keyword that is not known is an error of the schema. The schemas say what the
// published ones of FAIR T1 and T4 ask of the members that autotune writes.
const fs = require('fs');

const types = {
  object: (v) => v !== null && typeof v === 'object' && !Array.isArray(v),
  array: Array.isArray,
  string: (v) => typeof v === 'string',
  number: (v) => typeof v === 'number',
  integer: Number.isInteger,
};

const keywords = {
  type: (want, v) => [].concat(want).some((t) => types[t](v)) || `is no ${want}`,
  required: (names, v) => names.every((n) => n in v) || `lacks one of ${names}`,
  enum: (values, v) => values.includes(v) || `is none of ${values}`,
  pattern: (text, v) => new RegExp(text).test(v) || `does not match ${text}`,
  properties: (all, v, path) =>
    Object.keys(all).every((n) => !(n in v) || check(all[n], v[n], `${path}.${n}`)) || '',
  items: (one, v, path) => v.every((x, i) => check(one, x, `${path}[${i}]`)) || '',
};

function check(schema, value, path) {
  for (const [name, want] of Object.entries(schema)) {
    const answer = keywords[name](want, value, path);
    if (answer === true) continue;
    if (answer) console.log(`${path} ${answer}: ${JSON.stringify(value)}`);
    return false;
  }
  return true;
}

const [schema, file] = process.argv.slice(2, 4).map((name) => JSON.parse(fs.readFileSync(name)));
process.exit(check(schema, file, '$') ? 0 : 1);
