/** Tables of the check, the summary and the events. Long ones begin short. */
import type { Clock } from '../clock';
import { formatValue, shortenLong, shortenNumbers } from '../format';
import type { RunEvent, Table } from '../types';
import { el } from '../ui/dom';

const shortRows = 12;

/** A table whose rows beyond the first dozen come on demand. */
function table(caption: string, head: string[], count: number, row: (i: number) => (Node | string)[], numeric: (column: number) => boolean): HTMLElement {
  const body = el('tbody');
  const fill = (from: number, to: number): void => {
    for (let i = from; i < to; ++i) {
      body.append(el('tr', {}, ...row(i).map((cell, k) => el('td', { class: numeric(k) ? 'num' : '' }, cell))));
    }
  };
  const first = count <= shortRows + 4 ? count : shortRows;
  fill(0, first);
  const scroller = el(
    'div',
    { class: 'table-scroll', attrs: { tabindex: '0', role: 'region', 'aria-label': caption } },
    el('table', {}, el('thead', {}, el('tr', {}, ...head.map((text, k) => el('th', { class: numeric(k) ? 'num' : '', text, attrs: { scope: 'col' } })))), body),
  );
  const box = el('div', {}, scroller);
  if (first < count) {
    let shown = first;
    const more = el('button', { class: 'quiet', text: `Show all ${count.toLocaleString('en')} rows`, attrs: { type: 'button' } });
    more.addEventListener('click', () => {
      const to = Math.min(count, shown + 2000);
      fill(shown, to);
      shown = to;
      more.textContent = `Show ${(count - shown).toLocaleString('en')} more rows`;
      more.hidden = shown >= count;
    });
    box.append(more);
  }
  return box;
}

const isNumber = (text: string): boolean => text === '' || /^[-+−]?(\d|\.\d|inf|nan)/i.test(text.trim());

export function tableElement(spec: Table): HTMLElement {
  const numeric = spec.head.map((_, k) => spec.rows.length > 0 && spec.rows.every((r) => isNumber(r[k] ?? '')) && spec.rows.some((r) => (r[k] ?? '') !== ''));
  const card = el('article', { class: 'table-card' }, el('h3', { text: spec.title }));
  if (spec.rows.length > 0) {
    card.append(table(spec.title, spec.head, spec.rows.length, (i) => spec.head.map((_, k) => shortenLong(spec.rows[i]![k] ?? '')), (k) => numeric[k] === true));
  }
  if (spec.note) {
    card.append(el('p', { class: 'note', text: spec.note }));
  }
  return card;
}

export function summaryElement(summary: { label: string; value: string }[]): HTMLElement {
  return el('dl', { class: 'summary' }, ...summary.map((s) => el('div', {}, el('dt', { text: s.label }), el('dd', { text: shortenLong(s.value) }))));
}

/** Letters of a detail that are shown at once. */
const openDetail = 110;

/** A long text in two parts, cut after one of its entries; the second is empty where it is short. */
export function cutDetail(text: string): [string, string] {
  if (text.length <= 1.5 * openDetail) {
    return [text, ''];
  }
  const at = Math.max(text.lastIndexOf(', ', openDetail), text.lastIndexOf('; ', openDetail), text.lastIndexOf(': ', openDetail));
  const cut = at > 0 ? at + 1 : text.lastIndexOf(' ', openDetail) > 0 ? text.lastIndexOf(' ', openDetail) : openDetail;
  return [text.slice(0, cut), text.slice(cut).trimStart()];
}

function detailElement(detail: string): Node | string {
  const [head, rest] = cutDetail(shortenNumbers(detail));
  return rest === '' ? head : el('details', { class: 'fold detail' }, el('summary', { text: `${head} …` }), rest);
}

/** How a run ended: a stop that the model itself asks for is no fault. Null where it went to its end. */
export function endingOf(ending: string): { early: boolean; text: string } | null {
  if (ending === 'done' || ending === '') {
    return null;
  }
  const text = shortenLong(ending);
  return /^stopped at t = \S+ by the event /.test(ending) ? { early: false, text: `${text[0]!.toUpperCase()}${text.slice(1)}.` } : { early: true, text };
}

/** The list of events; a click on a time goes there. */
export function eventsElement(events: RunEvent[], clock: Clock): HTMLElement {
  return table(
    'Events',
    ['time', 'event', 'kind', 'detail'],
    events.length,
    (i) => {
      const event = events[i]!;
      const time = formatValue(event.t, 6);
      const go = el('button', { class: 'link num', text: time, title: `Go to t = ${time}`, attrs: { type: 'button' } });
      go.addEventListener('click', () => clock.seek(event.t));
      return [go, event.name, event.kind, detailElement(event.detail)];
    },
    (k) => k === 0,
  );
}
