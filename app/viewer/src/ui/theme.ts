/** Light or dark: as the system says, until the reader chooses. */
import type { Theme } from '../style/palette';
import { el, icon, icons } from './dom';

const key = 'ananke-theme';

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null; // pages from disk may have no storage
  }
}

export class ThemeSwitch {
  readonly element: HTMLButtonElement;
  private theme: Theme;
  private readonly listeners: ((theme: Theme) => void)[] = [];

  constructor() {
    const system = matchMedia('(prefers-color-scheme: dark)');
    this.theme = stored() ?? (system.matches ? 'dark' : 'light');
    this.element = el('button', { class: 'quiet icon-only theme', attrs: { type: 'button' } });
    this.element.addEventListener('click', () => {
      this.set(this.theme === 'light' ? 'dark' : 'light');
      try {
        localStorage.setItem(key, this.theme);
      } catch {
        // without storage the choice lasts as long as the page
      }
    });
    system.addEventListener('change', () => {
      if (!stored()) {
        this.set(system.matches ? 'dark' : 'light');
      }
    });
    this.apply();
  }

  get now(): Theme {
    return this.theme;
  }

  onChange(listener: (theme: Theme) => void): void {
    this.listeners.push(listener);
  }

  set(theme: Theme): void {
    if (theme !== this.theme) {
      this.theme = theme;
      this.apply();
      this.listeners.forEach((listener) => listener(theme));
    }
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.theme;
    const other = this.theme === 'light' ? 'dark' : 'light';
    this.element.replaceChildren(icon(this.theme === 'light' ? icons.moon : icons.sun));
    this.element.setAttribute('aria-label', `Switch to ${other} colours`);
    this.element.title = `Switch to ${other} colours`;
  }
}
