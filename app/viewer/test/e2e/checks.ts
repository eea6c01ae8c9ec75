/** What holds for every report, whoever wrote it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { seek, settle, timeOf, type Opened } from './browser';
import { parseCsv, readNumber } from './numbers';

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

/** The values beside the curves are those of the CSV at that row. */
export async function numbersAgree(page: Page, csvText: string): Promise<number> {
  const csv = parseCsv(csvText);
  require_(csv.rows.length > 0, 'the CSV has no rows');
  let compared = 0;
  for (const part of [0, 0.31, 0.5, 0.77, 1]) {
    const row = csv.rows[Math.round(part * (csv.rows.length - 1))]!;
    await seek(page, row[0]!);
    const cards = page.locator('.plot');
    for (let c = 0; c < (await cards.count()); ++c) {
      await cards.nth(c).scrollIntoViewIfNeeded();
      await page.waitForFunction((i) => document.querySelectorAll('.plot')[i]!.querySelector('.uplot') !== null, c);
      await page.mouse.move(0, 0);
      await settle(page);
      const shown = await cards.nth(c).evaluate((card) =>
        [...card.querySelectorAll('.key:not(.dashed)')].map((key) => [key.querySelector('.name')!.textContent ?? '', key.querySelector('.value')!.textContent ?? ''] as const),
      );
      for (const [name, text] of shown) {
        const column = csv.names.indexOf(name);
        if (column < 0 && name.startsWith('force[')) {
          continue; // on a particle that stands for coordinates: the report alone has it, and its own tests check it
        }
        require_(column >= 0, `the page shows ${name}, which the CSV does not have`);
        const wanted = row[column]!;
        const { value, step } = readNumber(text);
        // Columns are stored in single precision.
        require_(Math.abs(value - wanted) <= 1.01 * step + 1e-6 * Math.abs(wanted) + 1e-37, `${name} at t = ${row[0]}: the page shows ${text}, the CSV ${wanted}`);
        ++compared;
      }
    }
  }
  require_(compared > 0, 'the page shows no values');
  await page.evaluate(() => window.scrollTo(0, 0));
  return compared;
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
