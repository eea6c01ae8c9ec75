/**
 * Opens reports in a headless Chromium and checks them: npm run e2e -- [REPORT.html ...]
 * Without arguments the samples; with arguments those reports as well, compared with the CSV of the same name where there is one (REPORT.csv).
 * --only runs the given reports alone. Ends with 0 if all is well, 1 if not, 77 if there is no Chromium (set CHROMIUM to its path).
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { writeSamples } from '../write-sample';
import { findChromium, launch, open, seek, settle, timeOf } from './browser';
import { accessible, curveSwitches, forceSwitches, layout, noProblems, numbersAgree, oneValue, require_, timeControls } from './checks';

let failures = 0;

async function test(name: string, body: () => Promise<string | void>): Promise<void> {
  const start = Date.now();
  try {
    const note = await body();
    console.log(`ok    ${name}${note ? ` (${note})` : ''}, ${((Date.now() - start) / 1000).toFixed(1)} s`);
  } catch (error) {
    ++failures;
    console.log(`FAIL  ${name}\n      ${(error instanceof Error ? error.message : String(error)).split('\n').slice(0, 8).join('\n      ')}`);
  }
}

/** All that must hold for any report. */
async function anyReport(browser: Browser, file: string, name: string): Promise<void> {
  await test(`${name}: opens, plays, scrubs, switches; numbers as in the CSV; labels and contrast`, async () => {
    const opened = await open(browser, file);
    const { page } = opened;
    require_(((await page.textContent('h1')) ?? '').trim() !== '', 'the report has no title');
    require_((await page.locator('.plot').count()) > 0, 'the report has no figures');
    await layout(page, 'laptop');
    await timeControls(page);
    const arrows = await forceSwitches(page);
    await curveSwitches(page);
    const csv = file.replace(/\.html$/, '.csv');
    await oneValue(page);
    const compared = existsSync(csv) ? await numbersAgree(page, readFileSync(csv, 'utf8')) : 0;
    await accessible(page, 'light');
    noProblems(opened);
    await page.close();
    return `${compared} numbers compared${arrows ? '' : ', no forces to draw'}`;
  });
  await test(`${name}: dark, on a phone`, async () => {
    const opened = await open(browser, file, { width: 390, height: 780, dark: true });
    await layout(opened.page, 'phone');
    await accessible(opened.page, 'dark');
    noProblems(opened);
    await opened.page.close();
  });
}

async function sampleOnly(browser: Browser, path: string, samples: Record<string, string>): Promise<void> {
  const opened = await open(browser, samples['pendulum']!);
  const { page } = opened;
  await test('a click in a figure and on an event sets the time', async () => {
    const over = page.locator('.plot .u-over').first();
    const box = (await over.boundingBox())!;
    await page.mouse.click(box.x + 0.75 * box.width, box.y + box.height / 2);
    require_(Math.abs((await timeOf(page)) - 7.5) < 0.1, `the click went to t = ${await timeOf(page)}`);
    await page.locator('#events .link').first().click();
    const t = await timeOf(page);
    require_(t > 0.4 && t < 0.8, `the event went to t = ${t}`);
  });
  await test('a drag zooms, the cursor reads values, the zoom can be reset', async () => {
    const card = page.locator('.plot').first();
    await card.scrollIntoViewIfNeeded();
    const box = (await card.locator('.u-over').boundingBox())!;
    const y = box.y + box.height / 2;
    const reads = async (): Promise<number> => Number((await card.locator('.when').textContent())!.replace('t = ', ''));
    await page.mouse.move(box.x + 0.5 * box.width, y);
    await settle(page);
    require_(Math.abs((await reads()) - 5) < 0.03, `the cursor reads ${await reads()}`);
    await page.mouse.move(box.x + 0.2 * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.4 * box.width, y, { steps: 4 });
    await page.mouse.up();
    const reset = card.getByRole('button', { name: 'Reset zoom' });
    require_(await reset.isVisible(), 'no zoom after the drag');
    await page.mouse.move(box.x + 0.5 * box.width, y);
    await settle(page);
    require_(Math.abs((await reads()) - 3) < 0.03, `after the zoom the middle reads ${await reads()}`);
    await reset.click();
    require_(!(await reset.isVisible()), 'the zoom stays');
  });
  await test('a plot of any quantities can be added and removed', async () => {
    const before = await page.locator('.plot').count();
    await page.click('#ananke-add');
    await page.getByLabel('Quantities', { exact: true }).first().fill('tilt');
    await page.locator('.choices input[value="tilt"]').check();
    await page.locator('.chooser select').selectOption('energy');
    await accessible(page, 'dialog');
    await page.getByRole('button', { name: 'Add plot' }).click();
    require_((await page.locator('.plot').count()) === before + 1, 'no plot came');
    require_((await page.locator('.plot h3').last().textContent()) === 'tilt against energy', 'the plot has another title');
    await page.getByRole('button', { name: /^Remove the plot/ }).click();
    require_((await page.locator('.plot').count()) === before, 'the plot stays');
  });
  await test('long equations fold, what is no LaTeX is shown as text', async () => {
    await page.locator('#equations').scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector('.equation.waiting') === null);
    require_((await page.locator('.equation .katex').count()) >= 3, 'equations are not typeset');
    require_((await page.locator('.formula .source').textContent())!.includes('\\frobnicate'), 'the source is not shown');
    const fold = page.locator('.fold summary').first();
    require_((await fold.textContent()) === '34 more lines', `the fold says ${await fold.textContent()}`);
    await fold.click();
    await page.waitForSelector('.fold[open] .katex');
  });
  await test('the theme can be switched', async () => {
    const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.getByRole('button', { name: 'Switch to dark colours' }).click();
    require_((await paper()) !== light, 'the colours stay');
    noProblems(opened);
  });
  await page.close();
  await test('links of the bar land on their parts of a fresh page', async () => {
    for (const id of ['equations', 'checks', 'events', 'run']) {
      const fresh = await open(browser, samples['pendulum']!);
      await fresh.page.click(`.bar nav a[href="#${id}"]`);
      await fresh.page.waitForFunction(() => document.querySelector('.equation.waiting') === null);
      await settle(fresh.page);
      const off = await fresh.page.evaluate((part) => {
        const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
        const end = scrollTop + clientHeight >= scrollHeight - 2;
        return end ? 0 : document.getElementById(part)!.getBoundingClientRect().top - 60;
      }, id);
      require_(Math.abs(off) < 3, `${id} is ${off.toFixed(0)} pixels off`);
      noProblems(fresh);
      await fresh.page.close();
    }
  });
  await test('names and texts are data', async () => {
    const opened = await open(browser, samples['hostile']!);
    const { page } = opened;
    require_(((await page.textContent('h1')) ?? '').startsWith('</script><script>'), 'the title is not shown as text');
    require_((await page.textContent('.model-text'))!.includes('<img src=x'), 'the model is not shown as text');
    require_((await page.evaluate(() => (window as unknown as { hacked?: boolean }).hacked)) === undefined, 'a name was carried out as a program');
    require_((await page.locator('#ananke-root img, #ananke-root script').count()) === 0, 'a name became an element');
    noProblems(opened);
    await page.close();
  });
  await test('views: spring, camera, turned box, hidden body', async () => {
    const opened = await open(browser, samples['views']!);
    const { page } = opened;
    const seen = await page.evaluate(() => (window as unknown as { anankePage: { stage(): { camera: { position: { x: number; y: number; z: number } } } } }).anankePage.stage().camera.position);
    require_(Math.hypot(seen.x - 3, seen.y + 4, seen.z - 2) < 1e-6, `the camera stands at ${seen.x}, ${seen.y}, ${seen.z}`);
    const labels = await page.locator('.labels .label.body').allTextContents();
    require_(labels.join() === 'box', `names of bodies: ${labels.join()}`);
    require_((await page.locator('.view-options select').first().locator('option').allTextContents()).join() === 'nothing,box,anchor,mass', 'what can be followed');
    const first = await page.locator('.stage').screenshot();
    await seek(page, 1);
    require_(!(await page.locator('.stage').screenshot()).equals(first), 'the spring and the box stand still');
    noProblems(opened);
    await page.close();
  });
  await test('a hundred thousand rows open with what the first picture needs', async () => {
    const opened = await open(browser, samples['large']!, { awaitStage: false });
    const { page } = opened;
    const opening = await page.evaluate(() => performance.getEntriesByName('ananke-mounted')[0]!.startTime);
    // Counted, not timed: before the first picture only what it shows is decoded.
    const early = await page.evaluate(() => (window as unknown as { anankePage: { mountedWork: { columns: number; tracks: number } } }).anankePage.mountedWork);
    const total = await page.evaluate(() => (window as unknown as { anankePage: { data: { report: { columns: unknown[] } } } }).anankePage.data.report.columns.length);
    require_(early.tracks === 0 && early.columns <= 6 && early.columns < total, `${early.columns} of ${total} columns and ${early.tracks} tracks were decoded before the page was shown`);
    await page.evaluate(() => (window as unknown as { anankePage: { ready: Promise<void> } }).anankePage.ready);
    // A step of the animation without the drawing itself: the time line is moved two hundred times.
    const step = await page.evaluate(() => {
      const { clock } = (window as unknown as { anankePage: { clock: { start: number; end: number; seek(t: number): void } } }).anankePage;
      const times = Array.from({ length: 200 }, (_, i) => {
        const from = performance.now();
        clock.seek(clock.start + ((clock.end - clock.start) * i) / 200);
        return performance.now() - from;
      });
      return times.sort((a, b) => a - b)[100]!;
    });
    await seek(page, 5);
    noProblems(opened);
    await page.close();
    return `${opening.toFixed(0)} ms, ${early.columns} of ${total} columns first, a step ${step.toFixed(1)} ms`;
  });
  await test('without WebGL a note stands in for the animation, all else works', async () => {
    const plain = await launch(path, false);
    try {
      const { page, problems } = await open(plain, samples['pendulum']!);
      require_(((await page.textContent('.stage')) ?? '').includes('WebGL'), 'no note');
      await timeControls(page);
      await numbersAgree(page, readFileSync(samples['pendulum']!.replace(/html$/, 'csv'), 'utf8'));
      const own = problems.filter((p) => !/WebGL/.test(p));
      require_(own.length === 0, own.join('\n'));
    } finally {
      await plain.close();
    }
  });
}

async function main(): Promise<number> {
  const path = findChromium();
  if (path === null) {
    console.log('skipped: no Chromium found (apt-get install chromium, or set CHROMIUM to its path)');
    return 77;
  }
  const only = process.argv.includes('--only');
  const reports = process.argv.slice(2).filter((argument) => !argument.startsWith('--')).map((file) => resolve(file));
  const folder = mkdtempSync(join(tmpdir(), 'ananke-viewer-'));
  const browser = await launch(path, true);
  try {
    if (!only) {
      const samples = writeSamples(folder);
      await sampleOnly(browser, path, samples);
      await anyReport(browser, samples['pendulum']!, 'sample pendulum');
      await anyReport(browser, samples['disk']!, 'sample disk');
    }
    for (const file of reports) {
      await anyReport(browser, file, basename(file));
    }
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(failures === 0 ? 'all end-to-end tests passed' : `${failures} failed`);
  return failures === 0 ? 0 : 1;
}

process.exitCode = await main();
