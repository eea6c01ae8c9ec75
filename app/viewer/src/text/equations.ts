/** Typeset equations, each when it comes near the window. What is long is folded between its lines, and typeset only when it is opened. */
import katex from 'katex';
import type { Equation } from '../types';
import { el } from '../ui/dom';
import { joinLines, splitLatex, type Block } from './latex';

/** Shown at once: so many lines, and so many letters of LaTeX in all. */
const openLines = 6;
const openLetters = 1400;
/** Lines of more letters than this need the whole width of the page. */
const wideLetters = 170;
/** Lines typeset at a time when a fold is opened: the page stays quick. */
const batch = 60;

/** A formula, or its source where KaTeX cannot read it. */
export function formula(latex: string): HTMLElement {
  const host = el('div', { class: 'formula', attrs: { tabindex: '0', role: 'group', 'aria-label': 'Formula' } });
  try {
    katex.render(latex, host, { displayMode: true, throwOnError: true, strict: 'ignore', trust: false, output: 'htmlAndMathml' });
  } catch {
    host.replaceChildren(el('pre', { class: 'source', text: latex }));
  }
  return host;
}

function cutLines(block: Block): number {
  let letters = 0;
  for (let i = 0; i < block.lines.length; ++i) {
    letters += block.lines[i]!.length;
    if (i >= openLines || letters > openLetters) {
      return i;
    }
  }
  return block.lines.length;
}

function blockElement(block: Block): HTMLElement {
  const shown = cutLines(block);
  const host = el('div', { class: 'block' });
  if (shown > 0) {
    host.append(formula(joinLines(block, block.lines.slice(0, shown))));
  }
  const rest = block.lines.slice(shown);
  if (rest.length === 0) {
    return host;
  }
  const letters = rest.reduce((sum, line) => sum + line.length, 0);
  const label = shown > 0 ? `${rest.length} more ${rest.length === 1 ? 'line' : 'lines'}` : block.lines.length === 1 ? `Show the expression (${letters.toLocaleString('en')} letters of LaTeX)` : `Show ${rest.length} lines`;
  const fold = el('details', { class: 'fold' }, el('summary', { text: label }));
  let next = 0;
  const more = (): void => {
    const lines = rest.slice(next, next + batch);
    next += lines.length;
    fold.append(formula(joinLines(block, lines)));
    if (next < rest.length) {
      const button = el('button', { class: 'quiet', text: `${Math.min(batch, rest.length - next)} more of ${rest.length - next} lines`, attrs: { type: 'button' } });
      button.addEventListener('click', () => {
        button.remove();
        more();
      });
      fold.append(button);
    }
  };
  fold.addEventListener('toggle', () => {
    if (fold.open && next === 0) {
      more();
    }
  });
  host.append(fold);
  return host;
}

export class Equations {
  readonly element = el('div', { class: 'equations' });
  private readonly waiting = new Map<Element, Equation>();
  private readonly observer: IntersectionObserver;

  constructor(list: readonly Equation[]) {
    this.observer = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => this.typeset(e.target)), { rootMargin: '400px' });
    for (const equation of list) {
      const holder = el('article', { class: 'equation waiting' }, el('h3', { text: equation.title }));
      this.waiting.set(holder, equation);
      this.element.append(holder);
      this.observer.observe(holder);
    }
  }

  /** Typesets the next that waits; false if none does. */
  prepare(): boolean {
    const next = this.waiting.keys().next();
    if (next.done) {
      return false;
    }
    this.typeset(next.value);
    return true;
  }

  private typeset(holder: Element): void {
    const equation = this.waiting.get(holder);
    if (equation) {
      this.waiting.delete(holder);
      this.observer.unobserve(holder);
      holder.replaceWith(equationElement(equation));
    }
  }
}

function equationElement(equation: Equation): HTMLElement {
  const card = el('article', { class: 'equation' }, el('h3', { text: equation.title }));
  if (equation.note) {
    card.append(el('p', { class: 'note', text: equation.note }));
  }
  const blocks = splitLatex(equation.latex);
  card.classList.toggle('wide', blocks.some((block) => block.lines.slice(0, openLines).some((line) => line.length > wideLetters)));
  blocks.forEach((block) => card.append(blockElement(block)));
  return card;
}
