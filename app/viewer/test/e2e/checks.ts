/** What holds for every report, whoever wrote it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { seek, settle, timeOf, type Opened } from './browser';
import { parseCsv, readNumber, type Csv } from './numbers';

export function require_(condition: boolean, what: string): asserts condition {
  if (!condition) {
    throw new Error(what);
  }
}

export function noProblems(opened: Opened): void {
  require_(opened.problems.length === 0, opened.problems.join('\n'));
}

/** Nothing sticks out of the window, and no control or heading lies on another. */
export async function layout(page: Page, what: string): Promise<void> {
  const found = await page.evaluate(() => {
    const out: string[] = [];
    if (document.documentElement.scrollWidth > window.innerWidth + 1) {
      const wide = [...document.querySelectorAll<HTMLElement>('main *')].find((e) => e.getBoundingClientRect().right > window.innerWidth + 1 && !e.closest('.formula, .table-scroll, .model-text, .stage, .sr'));
      out.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${window.innerWidth}: ${wide?.className ?? ''} ${wide?.textContent?.slice(0, 40) ?? ''}`);
    }
    const visible = (e: Element): boolean => e.checkVisibility({ visibilityProperty: true }) && !e.closest('dialog, .marks, .sr');
    const boxes = [...document.querySelectorAll<HTMLElement>('h1, h2, h3, .facts, .when, .key, .quiet, .play, .time, .check, .parameters > div, .label, .transport select, .view-options select')].filter(visible).filter((e) => !e.closest('.bar'));
    const rects = boxes.map((e) => e.getBoundingClientRect());
    for (let i = 0; i < boxes.length; ++i) {
      for (let j = i + 1; j < boxes.length; ++j) {
        const [a, b] = [rects[i]!, rects[j]!];
        if (boxes[i]!.contains(boxes[j]!) || boxes[j]!.contains(boxes[i]!) || boxes[i]!.closest('.panel') !== boxes[j]!.closest('.panel')) {
          continue;
        }
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2) {
          out.push(`"${boxes[i]!.textContent?.slice(0, 30)}" lies on "${boxes[j]!.textContent?.slice(0, 30)}"`);
        }
      }
    }
    return out;
  });
  require_(found.length === 0, `${what}: ${found.slice(0, 5).join('; ')}`);
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: string[]; failureSummary?: string }[] }[];
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Labels, roles and contrast by axe-core. */
export async function accessible(page: Page, what: string): Promise<void> {
  await page.evaluate(axeSource);
  const result = (await page.evaluate(() => (window as unknown as { axe: { run(root: Document, options: unknown): Promise<unknown> } }).axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }))) as AxeResult;
  const text = result.violations.map((v) => `${v.id} (${v.help}): ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} ${n.failureSummary?.split('\n')[1] ?? ''}`).join(' | ')}`);
  require_(text.length === 0, `${what}: ${text.join('\n')}`);
}

/** What the CSV says of a quantity of the page at a row; undefined where it says nothing of it alone. Sizes of forces are of their components. */
function fromCsv(csv: Csv, row: number[], name: string): number | undefined {
  const at = (column: string): number | undefined => row[csv.names.indexOf(column)];
  const size = /^\|(.*)\|$/.exec(name)?.[1];
  if (size === undefined) {
    return at(name);
  }
  const parts = ['x', 'y', 'z'].map((k) => at(`${size}.${k}`));
  return parts.every((v) => v !== undefined) ? Math.hypot(...(parts as number[])) : undefined;
}

/**
 * A particle that stands for coordinates has forces that only the report knows, one for each constraint: force[rod1:(x, y, z)].x. All of them
 * together are the force of constraint on a coordinate, Qc[x]; and the sizes are those of the components beside them. `shown`: all that the page shows at this row.
 */
function coordinateForcesAgree(csv: Csv, row: number[], shown: Map<string, { value: number; step: number }>): number {
  const sums = new Map<string, { value: number; step: number; size: number }>();
  let compared = 0;
  for (const [name, { value, step }] of shown) {
    const part = /^force\[[^:]*:(.*)\]\.([xyz])$/.exec(name);
    if (part && !csv.names.includes(name)) {
      const key = `${part[1]}.${part[2]}`;
      const sum = sums.get(key) ?? { value: 0, step: 0, size: 0 };
      sums.set(key, { value: sum.value + value, step: sum.step + step, size: sum.size + Math.abs(value) });
    }
    const size = /^\|(.*)\|$/.exec(name)?.[1];
    const parts = size === undefined ? [] : ['x', 'y', 'z'].map((k) => shown.get(`${size}.${k}`)).filter((p) => p !== undefined);
    if (size !== undefined && !csv.names.includes(`${size}.x`) && parts.length > 0) {
      const length = Math.hypot(...parts.map((p) => p.value));
      require_(Math.abs(value - length) <= 1.01 * (step + parts.reduce((s, p) => s + p.step, 0)) + 1e-6 * length, `${name} is ${value}, its components make ${length}`);
      ++compared;
    }
  }
  for (const [key, sum] of sums) {
    // (x, y): the name of the coordinate along this axis. A named point does not tell its coordinate: one of them must fit.
    const names = /^\((.*)\)\.(.)$/.exec(key);
    const coordinate = names?.[1]!.split(', ').find((one) => one.includes(names[2]!));
    const columns = csv.names.filter((one) => (coordinate === undefined ? one.startsWith('Qc[') : one === `Qc[${coordinate}]`));
    const fits = columns.some((one) => Math.abs(sum.value - row[csv.names.indexOf(one)]!) <= 1.01 * sum.step + 1e-6 * sum.size);
    require_(fits, `the forces on ${key} add up to ${sum.value} at t = ${row[0]}; ${columns.join(', ')} in the CSV says otherwise`);
    ++compared;
  }
  return compared;
}

/** The values beside the curves are those of the CSV at that row. */
export async function numbersAgree(page: Page, csvText: string): Promise<number> {
  const csv = parseCsv(csvText);
  require_(csv.rows.length > 0, 'the CSV has no rows');
  let compared = 0;
  for (const part of [0, 0.31, 0.5, 0.77, 1]) {
    const row = csv.rows[Math.round(part * (csv.rows.length - 1))]!;
    await seek(page, row[0]!);
    const cards = page.locator('.plot');
    const all = new Map<string, { value: number; step: number }>();
    for (let c = 0; c < (await cards.count()); ++c) {
      await cards.nth(c).scrollIntoViewIfNeeded();
      await page.waitForFunction((i) => document.querySelectorAll('.plot')[i]!.querySelector('.uplot') !== null, c);
      await page.mouse.move(0, 0);
      await settle(page);
      const shown = await cards.nth(c).evaluate((card) =>
        [...card.querySelectorAll('.key:not(.dashed)')].map((key) => [key.querySelector('.name')!.textContent ?? '', key.querySelector('.value')!.textContent ?? ''] as const),
      );
      for (const [name, text] of shown) {
        const wanted = fromCsv(csv, row, name);
        const { value, step } = readNumber(text);
        all.set(name, { value, step });
        if (wanted === undefined) {
          require_(/^\|?force\[[^:]*:/.test(name), `the page shows ${name}, which the CSV does not have`);
          continue; // compared below, all constraints together
        }
        // Columns are stored in single precision.
        require_(Math.abs(value - wanted) <= 1.01 * step + 1e-6 * Math.abs(wanted) + 1e-37, `${name} at t = ${row[0]}: the page shows ${text}, the CSV ${wanted}`);
        ++compared;
      }
    }
    compared += coordinateForcesAgree(csv, row, all) + (await arrowsAgree(page, csv, row));
  }
  require_(compared > 0, 'the page shows no values');
  await page.evaluate(() => window.scrollTo(0, 0));
  return compared;
}

/** The numbers beside the switches are the sizes of forces in the CSV: of the side that is drawn. */
async function arrowsAgree(page: Page, csv: Csv, row: number[]): Promise<number> {
  const shown = await page.evaluate(() => [...document.querySelectorAll('.force-list li')].map((item) => ({
    owner: item.querySelector('.name')!.textContent ?? '', sides: (item.querySelector('.side')!.textContent ?? '').replace(/^on /, ''), values: (item.querySelector('.value')!.textContent ?? '').split('  '),
  })));
  let compared = 0;
  for (const { owner, sides, values } of shown) {
    // A name may hold a comma: (x, y). Only single sides and pairs of plain names are taken apart.
    const on = values.length === 1 ? [sides] : sides.split(', ');
    if (on.length !== values.length) {
      continue;
    }
    on.forEach((side, i) => {
      const torque = values[i]!.startsWith('↻ ');
      const wanted = fromCsv(csv, row, `|${torque ? 'torque' : 'force'}[${owner}:${side}]|`);
      if (wanted !== undefined) {
        const { value, step } = readNumber(values[i]!.replace('↻ ', ''));
        require_(Math.abs(value - wanted) <= 1.01 * step + 2e-6 * Math.abs(wanted), `${owner} on ${side} at t = ${row[0]}: the page shows ${values[i]}, the CSV ${wanted}`);
        ++compared;
      }
    });
  }
  return compared;
}

/** Between rows a force has one size, beside its switch and beside its curve. */
export async function oneValue(page: Page): Promise<void> {
  const between = await page.evaluate(() => {
    const { time } = (window as unknown as { anankePage: { data: { time: ArrayLike<number> } } }).anankePage.data;
    const row = Math.floor(0.4 * (time.length - 2));
    return 0.63 * time[row]! + 0.37 * time[row + 1]!;
  });
  await seek(page, between);
  const shown = await page.evaluate(() => ({
    arrows: [...document.querySelectorAll('.force-list li')].map((item) => [`|force[${item.querySelector('.name')!.textContent}:${(item.querySelector('.side')!.textContent ?? '').replace(/^on /, '')}]|`, item.querySelector('.value')!.textContent ?? ''] as const),
    curves: [...document.querySelectorAll('.plot .key:not(.dashed)')].map((key) => [key.querySelector('.name')!.textContent ?? '', key.querySelector('.value')!.textContent ?? ''] as const),
  }));
  const curves = new Map(shown.curves.filter(([, text]) => text !== ''));
  for (const [name, text] of shown.arrows) {
    const other = curves.get(name);
    if (other !== undefined && !Number.isNaN(readNumber(text).value)) {
      const [a, b] = [readNumber(text), readNumber(other)];
      // Sizes are stored in single precision.
      require_(Math.abs(a.value - b.value) <= 1.01 * (a.step + b.step) + 1e-6 * Math.abs(a.value), `${name} at t = ${between}: ${text} beside its switch, ${other} beside its curve`);
    }
  }
}

/** Play, pause, keys and time line move the one time. */
export async function timeControls(page: Page): Promise<void> {
  await seek(page, 0);
  const start = await timeOf(page);
  const end = await page.evaluate(() => (window as unknown as { anankePage: { clock: { end: number } } }).anankePage.clock.end);
  await page.click('#ananke-play');
  await page.waitForFunction((t) => (window as unknown as { anankePage: { clock: { t: number } } }).anankePage.clock.t > t, start);
  require_((await page.getAttribute('#ananke-play', 'aria-label')) === 'Pause' || (await timeOf(page)) === end, 'the button does not offer to pause');
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  if ((await page.getAttribute('#ananke-play', 'aria-label')) === 'Pause') {
    await page.keyboard.press(' ');
  }
  require_((await page.getAttribute('#ananke-play', 'aria-label')) === 'Play', 'space does not pause');
  const paused = await timeOf(page);
  await settle(page);
  require_((await timeOf(page)) === paused, 'the time goes on after the pause');
  await seek(page, start + (end - start) / 2);
  const before = await timeOf(page);
  await page.keyboard.press('ArrowRight');
  const after = await timeOf(page);
  require_(after > before, 'the right arrow does not go on');
  await page.keyboard.press('ArrowLeft');
  require_(Math.abs((await timeOf(page)) - before) <= after - before, 'the left arrow does not go back');
  await page.locator('#ananke-scrub').fill('2500');
  const quarter = await timeOf(page);
  require_(Math.abs(quarter - (start + 0.25 * (end - start))) < 1e-6 * (end - start) + 1e-12, 'the time line does not set the time');
  require_(/^t = /.test((await page.textContent('#ananke-time')) ?? ''), 'no reading of the time');
}

/** A picture of the drawing, for comparing. */
async function picture(page: Page, selector: string): Promise<string> {
  await settle(page);
  await settle(page);
  return (await page.locator(selector).first().screenshot({ timeout: 120_000 })).toString('base64');
}

/** Switching a force off and on changes the drawing and brings it back. */
export async function forceSwitches(page: Page): Promise<boolean> {
  const box = page.locator('.force-list input').first();
  if ((await page.locator('.force-list input').count()) === 0) {
    return false;
  }
  await page.evaluate(() => window.scrollTo(0, 0));
  // A time at which the first force is not zero.
  for (const part of [0.13, 0.37, 0.71]) {
    const t = await page.evaluate((p) => { const { clock } = (window as unknown as { anankePage: { clock: { start: number; end: number } } }).anankePage; return clock.start + p * (clock.end - clock.start); }, part);
    await seek(page, t);
    const shown = readNumber(((await page.locator('.force-list .value').first().textContent()) ?? '').split('  ')[0]!.replace('↻ ', ''));
    if (shown.value > 0) {
      break;
    }
  }
  const on = await picture(page, '.stage');
  await box.uncheck();
  const off = await picture(page, '.stage');
  require_(on !== off, 'switching a force off does not change the drawing');
  await box.check();
  require_((await picture(page, '.stage')) === on, 'switching a force on again does not bring it back');
  return true;
}

/** Hiding a curve changes the figure and says so. */
export async function curveSwitches(page: Page): Promise<void> {
  const card = page.locator('.plot').first();
  await card.scrollIntoViewIfNeeded();
  const key = card.locator('.key').first();
  await key.click();
  require_((await key.getAttribute('aria-pressed')) === 'false', 'the curve is not marked as hidden');
  await key.click();
  require_((await key.getAttribute('aria-pressed')) === 'true', 'the curve does not come back');
}
