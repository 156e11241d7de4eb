// SPDX-License-Identifier: Apache-2.0
// page.mjs CHROMIUM FOLDER [WORDS]: tests small.html and large.html of page.sh in a browser; with WORDS only the
// tests whose names have them.
import assert from 'node:assert/strict';
import { browser, column, drawAll, open, rising, saved, seconds, series, tuned, vary, write } from './page_lib.mjs';

const words = process.argv[4] || '';

const tests = {
  async 'answers all questions and complains of nothing'() {
    const { page, bad } = await open('small.html');
    assert.deepEqual(await page.locator('h2').allInnerTexts().then((l) => l.map((t) => t.split('?')[0])),
      ['What did I gain', 'Why this variant', 'Could it be better', 'What went wrong', 'What did it cost',
        'Where does it hold']);
    assert.match(await page.locator('#gain .answer').innerText(), /3 of 3 results are faster/);
    assert.ok(await drawAll(page) >= 4);
    assert.match(await page.locator('#hold').innerText(), /Of 2 results in both, 0 are faster there, 0 slower, and 2 the same/);
    assert.match(await page.locator('#hold .chart[aria-label^="Time there"]').getAttribute('aria-label'),
      /: scan · n = \d+: 1\.00\s×, scan · n = \d+: 1\.00\s×$/);
    assert.deepEqual(bad, []);
  },

  async 'shows the main loops'() {
    const { page, bad } = await open('small.html');
    const figures = await page.locator('#why .code figure').all();
    assert.equal(figures.length, 2);
    assert.match(await figures[0].innerText(), /The winner's main loop.* its only loop: 3 of 9 instructions/);
    assert.equal(await figures[0].locator('pre').innerText(), ['      L1:',
      '   17   vaddpd       zmm0, zmm1, zmm2 <img src=x onerror=bad=1>', '        add          rax, 64',
      '   18   jne          L1'].join('\n'));
    assert.match(await figures[1].innerText(), /The default's main loop.* cannot be shown: <b>no function<\/b>/);
    assert.equal(await figures[1].locator('pre').count(), 0);
    assert.equal(await page.locator('img').count(), 0);
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
    const of = () => page.locator('.table:has([aria-label="variants"]) .status').innerText();
    await page.getByLabel('Filter variants').fill('<b>REST=9'); // not also 90 to 96
    assert.match(await of(), /of 576 /); // i / 72 % 97 == 9
    await page.getByLabel('Filter variants').fill('');
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
    assert.match(await of(), /of 2\s776 \(50\s000 in all\)/); // i % 6 == 3 and i / 24 % 3 == 2
  },

  async 'brushes'() {
    const { page, bad } = await open('large.html');
    const chart = page.locator('#parallel');
    await chart.scrollIntoViewIfNeeded();
    await chart.locator('canvas').first().waitFor();
    const hint = page.locator('figure:has(#parallel) .drag');
    assert.match(await hint.innerText(), /Drag along an axis/);
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
    await page.waitForFunction(() => /selected/.test(document.querySelector('figure:has(#parallel) [role=status]').innerText));
    const rows = await column(page, 'variants', 7);
    assert.ok(rows.length > 5 && rows.every((t) => t.includes('TILE=64 ') || t.endsWith('TILE=64')), rows[0]);
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    assert.ok(await hint.isVisible());
    assert.deepEqual(bad, []);
  },

  async 'brushes by keyboard'() {
    const { page, bad } = await open('large.html');
    await page.locator('summary', { hasText: 'Select without dragging' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    for (let i = 0; i < 3; i++) // TILE from 8, 16, 32 to 64
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    for (let i = 0; i < 2; i++) // to 256, 128, 64
      await page.keyboard.press('ArrowUp');
    const status = page.locator('figure:has(#parallel) [role="status"]');
    assert.match(await status.innerText(), /7\s575 variants selected; the fastest takes 1\.00/);
    const areas = () => page.evaluate(() => document.getElementById('parallel').chart?.getModel()
      .getComponent('parallelAxis', 0).activeIntervals);
    assert.deepEqual(await areas(), [[2.55, 3.45]]);
    assert.ok((await column(page, 'variants', 7)).every((t) => t.includes('TILE=64 ')));
    await page.getByLabel('Colours').selectOption({ label: 'dark' }); // drawn anew, and still selected
    assert.deepEqual(await areas(), [[2.55, 3.45]]);
    await page.getByRole('button', { name: 'Clear the selection' }).press('Enter');
    assert.equal(await page.getByLabel('TILE, from').inputValue(), '0');
    assert.equal(await status.innerText(), '');
    assert.deepEqual(bad, []);
  },

  async 'compares by any two properties'() {
    const { page, bad } = await open('large.html');
    const free = page.locator('figure:has(#free)');
    await free.scrollIntoViewIfNeeded();
    await free.locator('canvas').first().waitFor();
    assert.match(await page.locator('#free').getAttribute('aria-label'), /^45\s455 variants by TILE and time\. /);
    assert.deepEqual(await series(page, 'free'), [['variants', 5000], ['', 1]]);
    await free.getByLabel('x axis').selectOption({ label: 'size of the code' });
    await free.getByLabel('y axis').selectOption({ label: 'order of trials' });
    await free.getByLabel('colour').selectOption({ label: 'UNROLL' });
    assert.deepEqual((await series(page, 'free')).map(([name]) => name), ['1', '2', '4', '8', '']);
    const size = await page.evaluate(() => [...new Set(document.getElementById('free').chart.getOption().series[3].data
      .map(([x]) => x))]);
    assert.deepEqual(size, [500]); // 100 + 50 * 8
    assert.deepEqual(bad, []);
    const hash = await page.evaluate(() => location.hash);
    assert.equal(hash, await free.getByText('Link to this view').getAttribute('href'));
    assert.match(hash, /^#result-\d&x=size&y=order&colour=p\.UNROLL$/);
    const again = await open('large.html', {}, hash);
    assert.match(await again.page.locator('#free').getAttribute('aria-label'),
      /^45\s455 variants by size of the code and order of trials, coloured by UNROLL/);
    await again.page.waitForFunction(() => Math.abs(document.getElementById('free').getBoundingClientRect().top) < innerHeight);
    await again.page.evaluate((to) => { location.hash = to; }, hash.replace(/&.*/, '&x=none&colour=slowdown&y=p.TILE'));
    await again.page.waitForFunction(() => /by .* and TILE\. /.test(document.getElementById('free').getAttribute('aria-label')));
    await again.page.locator('figure:has(#free)').getByLabel('colour').selectOption({ label: 'time' });
    assert.equal((await again.page.evaluate(() => document.getElementById('free').chart.getOption().visualMap)).length, 1);
    assert.deepEqual(again.bad, []);
  },

  async 'saves variants as CSV and charts as PNG'() {
    const { page, bad } = await vary('saved.html', (report) => {
      report.kernels = [tuned(report, ['right', 'wrong'])];
      report.kernels[0].columns.message.texts = ['', 'said "no",\nand ended'];
      report.kernels[0].columns.message.of = [0, 1];
      report.kernels[0].columns.size = [412, null];
    });
    const [name, text] = await saved(page, page.getByLabel('Save all variants as CSV').click());
    assert.match(name, /^scan_n_\d+_variants\.csv$/);
    assert.equal(text.toString(),
      'trial,median,low,high,runs,slowdown,part,size,compiling,verifying,timing,when,compiler,fate,U,message\r\n' +
      '1,0.001,0.001,0.001,8,,,412,,,,,clang 22.1.8,right,0,\r\n' +
      '2,,,,0,,,,,,,,clang 22.1.8,wrong,1,"said ""no"",\nand ended"\r\n');
    assert.deepEqual(bad, []);
    const large = await open('large.html');
    const [, all] = await saved(large.page, large.page.getByLabel('Save all variants as CSV').click());
    assert.equal(all.toString().split('\r\n').length, 50002);
    const chart = large.page.locator('#parallel');
    await chart.scrollIntoViewIfNeeded();
    await chart.locator('canvas').first().waitFor();
    const [picture, bytes] = await saved(large.page, large.page.getByLabel('Save as PNG: All parameters at once').click());
    assert.match(picture, /All_parameters_at_once\.png$/);
    assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
    assert.equal(bytes.readUInt32BE(16), 2 * (await chart.boundingBox()).width); // twice the pixels
    assert.deepEqual(large.bad, []);
  },

  async 'shows a call before, after and at the limits'() {
    const { page, bad } = await vary('bars.html', (report) => {
      report.kernels = [tuned(report, ['right', 'right'], { best: { median: 0.001, low: 0.001, high: 0.001, samples: 9 },
        default: { median: 0.004, low: 0.004, high: 0.004, samples: 9 }, flops: 2e6, bytes: 1e6, as_written: 0.002,
        own_calls: { pairs: 4, slower: 0, default: 0.02, winner: 0.008, longest_default: 0.006, longest_winner: 0.003 } })];
      const { cpu, isa, threads } = report.kernels[0];
      report.roofs = [{ cpu, isa, threads, when: 1.8e9, flops: 1e10, memory: 2e9, l3: 0, l2: 4e9, l1: 1e10 }];
    });
    await drawAll(page);
    const name = 'bars', times = await column(page, name, 2);
    assert.deepEqual(await column(page, name, 1), ['default', 'default, same flags', 'winner', 'default in program',
      'winner in program', 'bytes from memory', 'bytes from L2', 'bytes from L1', 'arithmetic, doubles',
      'arithmetic, floats']);
    assert.deepEqual(times.map((t) => Number((1e3 * seconds(t)).toPrecision(4))), [4, 2, 1, 5, 2, 0.5, 0.25, 0.1, 0.2, 0.1]);
    assert.match((await column(page, name, 4))[6], /^limit: what bytes\(…\) declares, all of it from the L2 cache, at 4\sGB\/s$/);
    assert.match(await page.locator('.chart[aria-label^="Time of a call: default 4"]').getAttribute('aria-label'),
      /winner 1\sms/);
    assert.deepEqual(bad, []);
  },

  async 'tells earlier results from those of today'() {
    const { page, bad } = await vary('earlier.html', (report) => {
      const one = (when, best, more) => tuned(report, ['right', 'right'], { when, speedup: 0.01 / best,
        best: { median: best, low: best, high: best, samples: 9 }, file: `/home/${when}/scan.c`, ...more });
      report.kernels = [one(1.8e9, 0.002, { commit: '0123456789ab' }),
        one(1.7e9, 0.001, { stale: 'the kernel was changed', winner: { U: '1' }, commit: 'fedcba987654' }),
        one(1.6e9, 0.003, { stale: 'the compiler was changed' }), one(1.5e9, 0.001, { file: '/home/other.c' })];
      delete report.against;
    });
    assert.match(await page.locator('#gain .answer').innerText(), /^2 of 2 results are faster/); // 1 and the other file's
    assert.match(await page.locator('#gain tbody').innerText(), /stale: the kernel was changed/);
    await page.locator('.bar select').selectOption('0');
    assert.deepEqual(await column(page, 'earlier results', 2), ['0123456789ab', 'fedcba987654', '–']);
    assert.deepEqual(await column(page, 'earlier results', 3), ['current', 'stale: the kernel was changed',
      'stale: the compiler was changed']);
    assert.deepEqual((await column(page, 'earlier results', 5)).map(seconds), [0.002, 0.001, 0.003]);
    assert.equal((await column(page, 'earlier results', 8))[1].trim(), 'U=1');
    assert.match(await page.locator('.chart[aria-label^="Best time by date"]').getAttribute('aria-label'),
      /2020-09-1\d.* 3\sms, 2023.* 1\sms, 2027.* 2\sms$/);
    await page.locator('[aria-label="earlier results"] button.link').first().click();
    assert.match(await page.locator('#why h2').innerText(), /scan · n = \d+ · stale, of 2023/);
    assert.deepEqual(bad, []);
  },

  async 'shows what is not as usual'() {
    const long = 'a_kernel_of_'.repeat(17), odd = '\u05e9\u05dc\u05d5\u05dd \u202e\u{1f680}';
    const same = (report) => tuned(report, ['right', 'right', 'wrong']);
    for (const [what, fates, more, said] of [
      ['one variant', ['right'], {}, /Nothing: all 1 variant that were tried/],
      ['all failed', ['wrong', 'wrong', 'wrong'], { winner: undefined, speedup: undefined },
        /All 3 variants failed: they gave a wrong answer\. So the default stays\./],
      ['no winner', ['right', 'crash', 'right'], { winner: undefined }, /1 of 3 variants failed: it crashed\./],
      ['borrowed', [], { finished: false, borrowed: 'borrowed from n = 7', best: undefined, seconds: undefined },
        /Nothing was tried/],
      ['a device', ['right', 'right'], { threads: 0, cpu: odd, key: {} }, /all 2 variants/],
    ]) {
      const { page, bad } = await vary('odd.html', (report) => {
        report.kernels = [tuned(report, fates, more)];
        delete report.against;
      });
      await drawAll(page);
      assert.match(await page.locator('#wrong .answer').innerText(), said, what);
      assert.doesNotMatch(await page.locator('main').innerText(), /undefined|NaN|Infinity|null|\[object/, what);
      for (const canvas of await page.locator('.chart').all())
        assert.doesNotMatch(await canvas.getAttribute('aria-label'), /undefined|NaN|Infinity|null/, what);
      if (what === 'all failed') // whose messages differ in numbers only
        assert.equal(await page.locator('#wrong tbody tr').count(), 1);
      if (what === 'borrowed')
        assert.match(await page.locator('#gain tbody').innerText(), /borrowed from n = 7/);
      assert.deepEqual(bad, [], what);
      await page.close();
    }
    const { page, bad } = await vary('many.html', (report) => {
      report.kernels = Array.from({ length: 45 }, (_, i) =>
        ({ ...same(report), kernel: i === 0 ? long : i === 1 ? odd : `kernel_${i}`, key: { n: i } }));
    });
    await page.setViewportSize({ width: 800, height: 700 });
    await drawAll(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 800);
    assert.match(await page.locator('#gain figcaption').innerText(), /the 5 lesser results are in the table/);
    assert.equal(await page.locator('#gain tbody tr').count(), 12);
    assert.deepEqual(bad, []);
  },

  async 'draws no point above a roof'() {
    const roofs = (report, factor) => {
      report.kernels = [tuned(report, ['right', 'right', 'wrong'], { best: { median: 0.001, low: 0.001, high: 0.001, samples: 9 } })];
      Object.assign(report.kernels[0], { flops: 2e6, bytes: 1e6 }); // 2 GFLOP/s, 1 GB/s
      const { cpu, isa, threads } = report.kernels[0];
      report.roofs = [{ cpu, isa, threads, when: 1.8e9, flops: 1e10 * factor, memory: 2e8 * factor, l3: 0,
        l2: 4e9 * factor, l1: 1e10 * factor }];
    };
    const drawn = (page) => page.evaluate(() => {
      const { series } = document.querySelector('#better .chart').chart.getOption();
      const line = (name) => series.find((s) => s.name === name)?.data;
      return { lines: series.filter((s) => s.type === 'line').map((s) => s.name),
        points: ['best', 'variants'].flatMap(line), floats: line('floats') };
    });
    const { page, bad } = await vary('under.html', (report) => roofs(report, 1));
    await drawAll(page);
    const under = await drawn(page);
    assert.deepEqual(under.lines, ['memory', 'L2', 'L1', 'doubles', 'floats']); // there is no L3
    assert.match(await page.locator('#better .answer').innerText(), /stay in caches.* 25\s% of what the L2 cache allows/);
    assert.ok(under.points.length === 3 && under.points.every(([, rate]) => rate <= under.floats[0][1]));
    assert.deepEqual(bad, []);
    for (const declared of [['flops', 'bytes'], ['flops'], ['bytes']]) {
      const { page, bad } = await vary('above.html', (report) => {
        roofs(report, 0.05);
        for (const name of ['flops', 'bytes'].filter((one) => !declared.includes(one)))
          delete report.kernels[0][name];
      });
      await drawAll(page);
      assert.match(await page.locator('#better .answer').innerText(), /^Doubtful: the fastest variant does [12]\sG/);
      assert.match(await page.locator('#better figcaption').first().innerText(), /left out: their measurement is doubtful/);
      assert.doesNotMatch(await page.locator('#better .chart').first().getAttribute('aria-label'), /Not known/);
      assert.deepEqual((await drawn(page)).lines.filter((name) => name !== 'machine'), []);
      assert.deepEqual(bad, []);
    }
  },

  async 'shows costs in the units of their objective'() {
    const { page, bad } = await vary('units.html', (report) => {
      report.objectives.energy = { seconds: false, units: [[1, 'J'], [0.001, 'mJ']] };
      report.kernels = [tuned(report, ['right', 'right', 'wrong'], { objective: 'energy',
        best: { median: 0.0015, low: 0.0014, high: 0.0016, samples: 9 }, default: { median: 2.5, low: 2.4, high: 2.6, samples: 9 },
        flops: 2e6, bytes: 1e6, own_calls: { pairs: 4, slower: 0, default: 0.02, winner: 0.008, longest_default: 0.006, longest_winner: 0.003 } })];
      report.against.results = [{ ...report.kernels[0], objective: undefined }];
    });
    await drawAll(page);
    assert.match(await page.locator('#gain .answer').innerText(), /takes 1\.5\smJ a call in place of 2\.5\sJ: 1667\s× as good/);
    assert.match(await page.locator('[aria-label="results"] tbody').innerText(), /2\.4\sJ\s… 2\.6\sJ/);
    assert.match(await page.locator('#better .answer').innerText(), /^Not known: it was tuned for energy/);
    assert.match(await page.locator('#cost .answer').innerText(), /^Tuning took 7\ss; what it saves is energy, not time\.$/);
    assert.match(await page.locator('#hold').innerText(), /No result is in both/); // seconds and joules are not compared
    assert.deepEqual(await column(page, 'bars', 2), ['2.5\u00a0J', '1.5\u00a0mJ']);
    assert.deepEqual(await page.locator('figure:has(#free) select').nth(1).locator('option').allInnerTexts(),
      ['energy', 'times as good as the default', 'order of trials', 'fate', 'U']);
    // Seconds remain where they are meant: what the tuning cost.
    const times = await page.locator('main').evaluate((main) => [...main.querySelectorAll('section:not(#cost)')]
      .map((s) => `${s.innerText} ${[...s.querySelectorAll('.chart')].map((c) => c.getAttribute('aria-label'))}`).join(' '));
    assert.deepEqual(times.match(/[\d.]+\s[mµn]?s\b/g), ['1.5\u00a0ms']); // the other store's
    assert.deepEqual(bad, []);
  },

  async 'stays where its reader is while it is live'() {
    const report = (n, best, live, more = []) => (report) => {
      const fates = Array.from({ length: n }, () => 'right');
      report.kernels = [...more, 'scan'].map((kernel) => tuned(report, fates, { kernel, finished: false, key: { n: 64 } }));
      report.made = Date.now() / 1000;
      delete report.against;
      if (live)
        report.live = { every: 0.1, tunings: [{ name: 'scan, n = 64', tried: n, best, result: more.length }] };
    };
    write('live.html', report(40, 0.0015, true));
    const { page, bad } = await open('live.html');
    const note = (text) => page.locator('.live', { hasText: text }).waitFor({ timeout: 60000 });
    await note(/^live: 40 variants tried, best 1\.5\sms, \d\d:\d\d:\d\d/);
    await page.locator('figure:has(#free)').getByLabel('x axis').selectOption({ label: 'order of trials' });
    await page.getByLabel('Colours').selectOption({ label: 'dark' });
    await page.getByLabel('U, from').selectOption({ label: '4' }, { force: true });
    await page.locator('summary', { hasText: 'Select without dragging' }).click();
    await page.locator('[aria-label="variants"] th button', { hasText: 'Trial' }).click();
    await page.getByRole('button', { name: 'Next rows' }).first().click();
    await page.locator('#cost').scrollIntoViewIfNeeded();
    await page.evaluate(() => document.querySelector('[aria-label="variants"]').scrollIntoView());
    await page.evaluate(() => { window.before = true; });
    const place = () => page.locator('[aria-label="variants"]').evaluate((e) => e.getBoundingClientRect().top);
    const before = await place();
    write('live.html', report(60, 0.001, true, ['alpha'])); // another kernel comes before it
    await note(/^live: scan, n = 64: 60 variants tried, best 1\sms/);
    assert.equal(await page.evaluate(() => window.before), undefined);
    assert.match(await page.locator('#why h2').innerText(), /scan · n = 64/);
    assert.match(await page.evaluate(() => location.hash), /^#result-1&x=order/);
    assert.match(await page.locator('#free').getAttribute('aria-label'), /^60 variants by order of trials and time/);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    assert.equal(await page.getByLabel('U, from').evaluate((e) => e.selectedOptions[0].textContent), '4');
    assert.equal(await page.locator('details.byhand').getAttribute('open'), '');
    assert.equal(await page.locator('[aria-label="variants"] th[aria-sort="ascending"]').innerText(), 'Trial');
    assert.match(await page.locator('.table:has([aria-label="variants"]) .status').innerText(), /^16–30 of 56$/);
    await page.waitForFunction((at) => Math.abs(document.querySelector('[aria-label="variants"]').getBoundingClientRect().top - at) < 3, before);
    const pause = page.getByRole('button', { name: 'Pause' });
    await pause.click();
    write('live.html', report(70, 0.001, false)); // the last one
    await page.waitForTimeout(5000);
    assert.match(await page.locator('.live').innerText(), /60 variants/);
    await pause.click();
    await page.locator('.live').waitFor({ state: 'detached', timeout: 60000 });
    assert.match(await page.locator('#free').getAttribute('aria-label'), /^70 variants by order of trials/);
    await page.evaluate(() => { window.before = true; });
    await page.waitForTimeout(3000);
    assert.equal(await page.evaluate(() => window.before), true);
    assert.equal(await page.evaluate(() => history.state), null);
    assert.deepEqual(bad, []);
  },

  async 'is not live where nobody writes it any more, and says so'() {
    write('gone.html', (report) => {
      report.made = Date.now() / 1000 - 300;
      report.live = { every: 2, tunings: [] };
      report.kernels = [];
      delete report.against;
    });
    const empty = await browser.newPage(), bad = [];
    empty.on('pageerror', (e) => bad.push(String(e)));
    await empty.goto(new URL(`file://${process.argv[3]}/gone.html`).href);
    assert.match(await empty.locator('.live').innerText(), /^not live any more: last written at \d\d:\d\d:\d\d$/);
    assert.match(await empty.locator('#gain .answer').innerText(), /No tuning has come to its end yet/);
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
      const hidden = await page.evaluate(() => [...document.querySelectorAll('td')]
        .filter((td) => td.getBoundingClientRect().right > 360).map((td) => td.textContent));
      assert.deepEqual(hidden, [], 'columns that are out of sight');
      assert.deepEqual(bad, []);
    }
  },

  async 'uses the width of the window'() {
    const { page, bad } = await open('large.html');
    const heights = [];
    for (const width of [768, 1280, 1600, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      await drawAll(page);
      await page.waitForFunction(() => [...document.querySelectorAll('.chart canvas')]
        .every((c) => Math.abs(c.clientWidth - c.closest('.chart').clientWidth) <= 1));
      const seen = await page.evaluate(() => ({ all: document.documentElement.scrollWidth,
        used: document.querySelector('main').clientWidth, parallel: document.getElementById('parallel').clientHeight,
        out: [...document.querySelectorAll('.scroll, .chart')].filter((e) =>
          e.getBoundingClientRect().right > innerWidth).length,
        scrolled: [...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth)
          .map((e) => e.getAttribute('aria-label')),
        tops: [...document.querySelectorAll('#why .columns figure')].map((e) => e.getBoundingClientRect().top) }));
      assert.equal(seen.all, width, 'the page scrolls to the side');
      assert.equal(seen.out, 0, 'tables and charts are out of sight');
      assert.deepEqual(seen.scrolled, [], 'tables that scroll to the side');
      assert.ok(seen.used >= 0.93 * width, `${seen.used} of ${width}`);
      const abreast = seen.tops.filter((top) => top === seen.tops[0]).length;
      assert.equal(abreast, { 768: 1, 1280: 2, 1600: 2, 2560: 4 }[width], `charts side by side at ${width}`);
      heights.push(seen.parallel);
    }
    assert.ok(heights[3] > 1.4 * heights[1], `a wider chart is higher: ${heights}`);
    assert.deepEqual(bad, []);
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

  async 'can be read'() { // WCAG 2.2: texts 4.5, parts of controls and charts 3 to the ground
    for (const colorScheme of ['light', 'dark']) {
      const { page } = await open('small.html', { colorScheme });
      const at = await page.evaluate(() => {
        const style = getComputedStyle(document.documentElement);
        const parts = (name) => [1, 3, 5].map((i) =>
          parseInt(style.getPropertyValue(`--${name}`).trim().slice(i, i + 2), 16) / 255);
        const light = (name) => parts(name)
          .map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
          .reduce((sum, x, i) => sum + [0.2126, 0.7152, 0.0722][i] * x, 0);
        const all = {};
        for (const ground of ['surface', 'ground'])
          for (const name of ['text', 'quiet', 'best', 'base', 'other', 'bad', 'edge']) {
            const [a, b] = [light(name), light(ground)].sort();
            all[`${name} on ${ground}`] = (b + 0.05) / (a + 0.05);
          }
        return all;
      });
      for (const [what, contrast] of Object.entries(at))
        assert.ok(contrast >= (/^(text|quiet|best) /.test(what) ? 4.5 : 3),
          `${colorScheme}: ${what}: ${contrast.toFixed(2)}`);
    }
  },

  async 'can be heard'() {
    const { page } = await open('large.html');
    await page.setViewportSize({ width: 360, height: 740 }); // where rows are blocks, they still are rows
    const roles = await page.locator('[aria-label="variants"]').ariaSnapshot();
    assert.match(roles, /table "variants"/);
    assert.match(roles, /columnheader "Median"/);
    assert.match(roles, /row /);
    assert.match(roles, /cell "1\.00/);
    const label = (part) => page.locator(`.chart[aria-label^="${part}"]`).getAttribute('aria-label');
    assert.match(await label('Influence'), /^Influence of each parameter: TILE 3\.\d+\s×, UNROLL 1\.4/);
    assert.match(await label('Time of every variant by TILE'), /with each value: 8 3\.\d+\sms, .*64 1\.00/);
    assert.match(await label('Roofline'), /20\sFLOP for each byte/);
    await page.locator('figure:has(#by-value) select').selectOption({ label: 'UNROLL' });
    assert.match(await label('Time of every variant by'), /by UNROLL\. The best with each value: 1 1\.4/);
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
    const { page, bad } = await open('large.html', { colorScheme: 'dark' });
    const drawn = () => page.evaluate(() => [...document.querySelectorAll('.chart')]
      .map((one) => [one.querySelectorAll('svg path').length, one.querySelectorAll('canvas').length]));
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    for (const [paths, canvases] of await drawn()) // lines, and none of them missing
      assert.ok(paths > 1 && canvases === 0, `${paths} paths, ${canvases} canvases`);
    const [strongest] = await page.evaluate(() => [...document.querySelectorAll('#by-pair path')]
      .map((p) => p.getAttribute('fill')).filter((fill) => /^(rgb\(11,107,179\)|#0b6bb3)$/.test(fill)));
    assert.ok(strongest, 'the cells of the chart by two parameters have the colours of the light theme');
    await page.emulateMedia({ media: 'print' });
    for (const gone of ['.bar', '.byhand', 'input', '.drag', '.save', '.pickers'])
      assert.equal(await page.locator(gone).first().isVisible(), false, gone);
    await page.setViewportSize({ width: 703, height: 900 }); // a sheet of A4 within its margins
    const out = await page.evaluate(() => [...document.querySelectorAll('#page *')].filter((e) => !e.closest('.unseen') &&
      e.getBoundingClientRect().right > innerWidth).map((e) => `${e.tagName} ${e.textContent.slice(0, 20)}`));
    assert.deepEqual(out, [], 'wider than the sheet');
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.ok((await drawn()).every(([, canvases]) => canvases > 0));
    const small = await open('small.html');
    const pdf = await small.page.pdf({ format: 'A4' });
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    assert.match(pdf.toString('latin1'), /\/MediaBox \[0 0 59[45][.\d]* 84[12]/);
    assert.deepEqual(bad, []);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests).filter(([name]) => name.includes(words))) {
  const begin = Date.now();
  try {
    await test();
    console.log(`ok      ${name}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  } catch (e) {
    failed++;
    console.log(`FAILED  ${name}\n${e.stack}`);
  }
  for (const context of browser.contexts())
    await context.close();
}
await browser.close();
process.exit(failed ? 1 : 0);
