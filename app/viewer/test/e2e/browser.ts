/** A headless Chromium and the page under test. */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

export function findChromium(): string | null {
  const places = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];
  return places.find((path): path is string => path !== undefined && existsSync(path)) ?? null;
}

export function launch(path: string, webgl: boolean): Promise<Browser> {
  const drawing = webgl ? ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] : ['--disable-gpu', '--disable-3d-apis', '--disable-software-rasterizer'];
  return chromium.launch({ executablePath: path, args: ['--no-sandbox', ...drawing], timeout: 120_000 });
}

export interface Opened {
  page: Page;
  /** Errors on the console, uncaught ones, and every request that is not the file itself. */
  problems: string[];
}

export async function open(browser: Browser, file: string, options: { width?: number; height?: number; dark?: boolean; awaitStage?: boolean } = {}): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: options.width ?? 1280, height: options.height ?? 800 }, colorScheme: options.dark ? 'dark' : 'light', reducedMotion: 'reduce' });
  page.setDefaultTimeout(45_000);
  // The compiler of these tests marks functions with their names; in the page the mark does nothing.
  await page.addInitScript({ content: 'globalThis.__name = (f) => f;' });
  const problems: string[] = [];
  page.on('console', (message) => {
    // Warnings of the software renderer about itself are no fault of the page.
    if (message.type() === 'error' || (message.type() === 'warning' && !/GPU stall|swiftshader|software WebGL/i.test(message.text()))) {
      problems.push(`console ${message.type()}: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && request.url() !== `file://${encodeURI(file)}`) {
      problems.push(`request: ${request.url()}`);
    }
  });
  await page.goto(`file://${file}`, { waitUntil: 'commit', timeout: 120_000 });
  await page.waitForSelector('main');
  if (options.awaitStage ?? true) {
    await page.evaluate(() => (window as unknown as { anankePage: { ready: Promise<void> } }).anankePage.ready);
  }
  return { page, problems };
}

/** Waits until the page has drawn what was asked for. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export async function seek(page: Page, t: number): Promise<void> {
  await page.evaluate((time) => (window as unknown as { anankePage: { clock: { seek(t: number): void } } }).anankePage.clock.seek(time), t);
  await settle(page);
}

export function timeOf(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as { anankePage: { clock: { t: number } } }).anankePage.clock.t);
}
