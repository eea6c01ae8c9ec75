/** Links to the parts of the page. */
import { el } from './dom';

/** How long a part is held in place while what stands above it still changes its height, in milliseconds. */
const holding = 2500;

/** Shows a part of the page at the top of the window and keeps it there until the layout has settled or the reader moves on. */
export function goTo(id: string, prepareAbove: (target: HTMLElement) => void): void {
  const target = document.getElementById(id);
  const main = document.querySelector('main');
  if (!target || !main) {
    return;
  }
  prepareAbove(target);
  const show = (): void => target.scrollIntoView({ behavior: 'instant', block: 'start' });
  show();
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  const observer = new ResizeObserver(show);
  observer.observe(main);
  const moves = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
  const release = (): void => {
    observer.disconnect();
    moves.forEach((name) => window.removeEventListener(name, release));
  };
  moves.forEach((name) => window.addEventListener(name, release, { passive: true }));
  setTimeout(release, holding);
}

/** Which edges of a strip hide something: it fades out there. */
export function hiddenEdges(scrolled: number, seen: number, whole: number): { before: boolean; after: boolean } {
  return { before: scrolled > 2, after: scrolled + seen < whole - 2 };
}

export function navigation(links: readonly [string, string][], prepareAbove: (target: HTMLElement) => void): HTMLElement {
  const nav = el('nav', { attrs: { 'aria-label': 'Parts of this report' } });
  for (const [id, title] of links) {
    const link = el('a', { text: title, attrs: { href: `#${id}` } });
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) {
        return; // a window of its own
      }
      event.preventDefault();
      history.replaceState(null, '', `#${id}`);
      goTo(id, prepareAbove);
    });
    nav.append(link);
  }
  const fade = (): void => {
    const { before, after } = hiddenEdges(nav.scrollLeft, nav.clientWidth, nav.scrollWidth);
    nav.classList.toggle('before', before);
    nav.classList.toggle('after', after);
  };
  nav.addEventListener('scroll', fade, { passive: true });
  new ResizeObserver(fade).observe(nav);
  return nav;
}
