/** The page of a report. */
import { Clock } from './clock';
import type { Decoded } from './data';
import { formatParameter, formatValue } from './format';
import { PlotCard } from './plots/card';
import { chooser } from './plots/chooser';
import { Equations } from './text/equations';
import { modelTextElement } from './text/modeltext';
import { endingOf, eventsElement, summaryElement, tableElement } from './text/tables';
import type { PlotSpec, Report } from './types';
import { el, icon, icons } from './ui/dom';
import { MotionView } from './ui/motion';
import { goTo, navigation } from './ui/navigation';
import { ThemeSwitch } from './ui/theme';
import { bindKeys } from './ui/transport';

/** Handles of a mounted page, for programs and tests. */
export interface Mounted {
  clock: Clock;
  data: Decoded;
  /** What was decoded when the page was there, before its first picture. */
  mountedWork: Decoded['work'];
  /** The animation, once it is ready. */
  stage(): unknown;
  /** Resolves when the animation is there too. */
  ready: Promise<void>;
}

export function mount(root: HTMLElement, data: Decoded): Mounted {
  const { report } = data;
  const theme = new ThemeSwitch();
  const last = data.time.length - 1;
  const clock = new Clock(data.time[0] ?? 0, data.time[Math.max(last, 0)] ?? 0, (tick) => requestAnimationFrame(tick));
  const motion = new MotionView(data, clock);
  const figures = new Figures(data, clock, theme);
  const sections: [string, string, HTMLElement][] = [];
  const equations = new Equations(report.equations);
  if (report.equations.length > 0) {
    sections.push(['equations', 'Equations', equations.element]);
  }
  if (report.tables.length > 0) {
    sections.push(['checks', 'Constraints', el('div', { class: 'tables' }, ...report.tables.map(tableElement))]);
  }
  if (report.events.length > 0) {
    sections.push(['events', 'Events', eventsElement(report.events, clock)]);
  }
  if (report.summary.length > 0) {
    sections.push(['run', 'Accuracy and time', summaryElement(report.summary)]);
  }
  if (report.modelText !== '') {
    sections.push(['model', 'Model', modelTextElement(report.modelText)]);
  }
  const links: [string, string][] = [['motion', 'Motion'], ['figures', 'Figures'], ...sections.map(([id, title]): [string, string] => [id, title])];
  // What stands above a part has its final height before the part is gone to.
  const prepareAbove = (target: HTMLElement): void => {
    const above = (part: HTMLElement): boolean => (target.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
    if (above(figures.element)) {
      figures.prepareAll();
    }
    while (above(equations.element) && equations.prepare());
  };
  root.replaceChildren(
    el('header', { class: 'bar' },
      el('span', { class: 'brand', text: 'Ananke' }),
      navigation(links, prepareAbove),
      theme.element,
    ),
    el('main', {},
      intro(report, clock),
      el('div', { class: motion.vacant ? 'work flat' : 'work' }, motion.element, figures.element),
      ...sections.map(([id, title, body]) => el('section', { class: 'part', attrs: { id, 'aria-label': title } }, el('h2', { text: title }), body)),
    ),
    el('footer', { class: 'colophon' }, el('p', { text: `Ananke ${report.version}` }), el('p', { class: 'hint', text: 'Space plays, arrow keys move the time, a click in a figure goes there, a drag zooms.' })),
  );
  theme.onChange((now) => {
    motion.setTheme(now);
    figures.setTheme();
  });
  let width = root.clientWidth;
  new ResizeObserver(() => {
    if (root.clientWidth !== width) {
      width = root.clientWidth;
      motion.resize();
      figures.resize();
    }
  }).observe(root);
  bindKeys(clock, data.time);
  bindPrinting(theme, motion, () => {
    figures.makeAll();
    while (equations.prepare());
  });
  // Sizes of text in plots are those of the page's fonts, which are ready a moment later.
  void document.fonts?.ready.then(() => figures.setTheme());
  const ready = afterPaint(() => motion.start(theme.now));
  const wanted = links.find(([id]) => location.hash === `#${id}`);
  if (wanted) {
    void ready.then(() => goTo(wanted[0], prepareAbove));
  }
  void ready.then(() => whenIdle([() => figures.prepare(), () => equations.prepare()]));
  return { clock, data, mountedWork: { ...data.work }, stage: () => motion.scene, ready };
}

/** Runs when the page has been shown once: what takes longer must not keep the reader waiting. */
function afterPaint(work: () => void): Promise<void> {
  return new Promise((done) =>
    requestAnimationFrame(() =>
      setTimeout(() => {
        work();
        done();
      }),
    ),
  );
}

/** What lies below the window is made piece by piece while the reader looks at what is above. Each answers false when it has no more to do. */
function whenIdle(works: (() => boolean)[]): void {
  const later: (work: () => void) => void = 'requestIdleCallback' in window ? (work) => requestIdleCallback(work, { timeout: 2000 }) : (work) => setTimeout(work, 50);
  const next = (): void => {
    if (works.some((work) => work())) {
      later(next);
    }
  };
  later(next);
}

function intro(report: Report, clock: Clock): HTMLElement {
  const title = report.title !== '' ? report.title : report.file;
  const facts = [report.file, `t from ${formatValue(clock.start)} to ${formatValue(clock.end)}`, `${report.rows.toLocaleString('en')} ${report.rows === 1 ? 'row' : 'rows'}`].filter((text) => text !== '');
  const box = el('section', { class: 'intro' }, el('div', { class: 'heading' }, el('h1', { text: title }), el('p', { class: 'facts num', text: facts.join('  ·  ') })));
  const ending = endingOf(report.ending);
  if (ending) {
    box.append(el('p', { class: ending.early ? 'ending early' : 'ending num', attrs: { role: 'status' } }, ending.early ? el('strong', { text: 'The run ended early. ' }) : null, ending.text));
  }
  if (report.parameters.length > 0) {
    const most = window.innerWidth < 600 ? 8 : 24;
    const entry = (p: { name: string; value: number }): HTMLElement => el('div', {}, el('dt', { text: p.name }), el('dd', { class: 'num', title: String(p.value), text: formatParameter(p.value) }));
    const list = el('dl', { class: 'parameters', attrs: { 'aria-label': 'Parameters' } }, ...report.parameters.slice(0, most).map(entry));
    box.querySelector('.heading')!.after(list);
    if (report.parameters.length > most) {
      const more = el('button', { class: 'quiet', text: `${report.parameters.length - most} more parameters`, attrs: { type: 'button' } });
      more.addEventListener('click', () => {
        list.append(...report.parameters.slice(most).map(entry));
        item.remove();
      });
      const item = el('div', {}, el('dt', { class: 'sr', text: 'more' }), el('dd', {}, more));
      list.append(item);
    }
  }
  return box;
}

/** The figures: those of the report and those that the reader adds. */
class Figures {
  readonly element: HTMLElement;
  private readonly cards: PlotCard[] = [];
  private readonly list = el('div', { class: 'cards' });
  private readonly observer: IntersectionObserver;

  constructor(
    private readonly data: Decoded,
    private readonly clock: Clock,
    private readonly theme: ThemeSwitch,
  ) {
    this.observer = new IntersectionObserver(
      (entries) => entries.forEach((entry) => this.cards.find((card) => card.element === entry.target)?.setSeen(entry.isIntersecting)),
      { rootMargin: '200px' },
    );
    const dialog = chooser(data, (spec) => this.add(spec, true));
    const add = el('button', { class: 'add', attrs: { type: 'button', id: 'ananke-add' } }, icon(icons.plus), el('span', { text: 'Add a plot' }));
    add.addEventListener('click', () => dialog.showModal());
    this.element = el('section', { class: 'figures', attrs: { id: 'figures', 'aria-label': 'Figures' } }, this.list, add, dialog);
    data.report.plots.forEach((spec) => this.add(spec, false));
    clock.onTime((t) => this.cards.forEach((card) => card.setTime(t)));
  }

  setTheme(): void {
    this.cards.forEach((card) => card.setTheme(this.theme.now));
  }

  resize(): void {
    this.cards.forEach((card) => card.resize());
  }

  /** Makes the next plot that was not seen yet; false if there is none. */
  prepare(): boolean {
    return this.cards.some((card) => card.prepare());
  }

  prepareAll(): void {
    this.cards.forEach((card) => card.prepare());
  }

  makeAll(): void {
    this.cards.forEach((card) => card.make());
  }

  private add(spec: PlotSpec, own: boolean): void {
    const card: PlotCard = new PlotCard(this.data, this.clock, spec, this.theme.now, own ? () => this.remove(card) : undefined);
    if (card.empty) {
      return;
    }
    this.cards.push(card);
    this.list.append(card.element);
    this.observer.observe(card.element);
    if (own) {
      card.element.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
    }
  }

  private remove(card: PlotCard): void {
    this.observer.unobserve(card.element);
    card.element.remove();
    this.cards.splice(this.cards.indexOf(card), 1);
  }
}

/** Width between the margins of a sheet, in pixels of the page: A4 less 16 mm on each side. */
const sheet = 660;

/** On paper nothing scrolls: formulas wider than the sheet are made smaller. */
function fitFormulas(): void {
  document.querySelectorAll<HTMLElement>('.formula').forEach((formula) => {
    formula.style.setProperty('--print-scale', String(Math.min(1, Math.max(0.4, sheet / formula.scrollWidth))));
  });
}

/** Paper is light: all figures are drawn in light colours before printing and as they were after it. */
function bindPrinting(theme: ThemeSwitch, motion: MotionView, makeAll: () => void): void {
  let before = theme.now;
  window.addEventListener('beforeprint', () => {
    before = theme.now;
    theme.set('light');
    makeAll();
    fitFormulas();
    motion.draw();
  });
  window.addEventListener('afterprint', () => theme.set(before));
}
