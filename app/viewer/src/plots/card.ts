/** One figure of the page: title, curves with their values, the plot. The plot itself is made when it is first seen. */
import type { Clock } from '../clock';
import { rowAt, valueAt, type Decoded } from '../data';
import { formatInstant, formatLive, formatTime } from '../format';
import { coloursInAll, curveColour, type Theme } from '../style/palette';
import type { PlotSpec } from '../types';
import { el, icon, icons } from '../ui/dom';
import { axisLabel, curvesOf, mostAtOnce, withUnit, type Curve } from './curves';
import { extent } from './decimate';
import type { PlotView } from './frame';
import { PathPlot } from './pathplot';
import { TimePlot } from './timeplot';

export class PlotCard {
  readonly element: HTMLElement;
  private readonly host = el('div', { class: 'plot-host' });
  private readonly legend = el('div', { class: 'legend', attrs: { role: 'group', 'aria-label': 'Curves' } });
  private readonly when = el('span', { class: 'when num' });
  private readonly curves: Curve[];
  private readonly values: HTMLElement[] = [];
  private readonly keys: HTMLButtonElement[] = [];
  private readonly resetButton: HTMLButtonElement;
  private view: PlotView | null = null;
  private seen = false;
  private log: boolean;
  private hover: number | null = null;
  private reach: number | null = null;
  private readonly againstTime: boolean;

  constructor(
    private readonly data: Decoded,
    private readonly clock: Clock,
    readonly spec: PlotSpec,
    private theme: Theme,
    onRemove?: () => void,
  ) {
    this.curves = curvesOf(data, spec);
    this.log = spec.log === true;
    this.againstTime = data.indexOf(spec.x) <= 0;
    this.resetButton = el('button', { class: 'quiet', text: 'Reset zoom', attrs: { type: 'button', hidden: '' }, on: { click: () => this.view?.resetZoom() } });
    const tools = el('div', { class: 'tools' }, this.resetButton);
    if (this.againstTime) {
      const toggle = el('button', { class: 'quiet toggle', text: 'log scale', title: 'Logarithmic scale', attrs: { type: 'button', 'aria-pressed': String(this.log) } });
      toggle.addEventListener('click', () => {
        this.log = !this.log;
        toggle.setAttribute('aria-pressed', String(this.log));
        this.make();
      });
      tools.append(toggle);
    }
    if (onRemove) {
      tools.append(el('button', { class: 'quiet icon-only', title: 'Remove this plot', attrs: { type: 'button', 'aria-label': `Remove the plot ${spec.title}` }, on: { click: onRemove } }, icon(icons.close)));
    }
    this.element = el(
      'figure',
      { class: 'card plot' },
      el('figcaption', {}, el('h3', { text: spec.title }), this.when, tools),
      this.legend,
      this.host,
      spec.note ? el('p', { class: 'note', text: spec.note }) : null,
    );
    this.host.setAttribute('role', 'img');
    this.host.setAttribute('aria-label', `${spec.title}: ${this.curves.map((c) => c.name).join(', ')} against ${this.againstTime ? 'time' : spec.x}`);
    this.fillLegend();
  }

  get empty(): boolean {
    return this.curves.length === 0;
  }

  /** Called when the figure comes into or leaves the window. */
  setSeen(seen: boolean): void {
    this.seen = seen;
    if (seen) {
      if (!this.view) {
        this.make();
      }
      this.setTime(this.clock.t);
    }
  }

  /** Makes the plot ahead of time; false if it was there already. */
  prepare(): boolean {
    if (this.view) {
      return false;
    }
    this.make();
    return true;
  }

  setTime(t: number): void {
    if (this.seen) {
      this.view?.setTime(t);
      if (this.hover === null) {
        this.readings(t);
      }
    }
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.keys.forEach((key, i) => key.style.setProperty('--curve', curveColour(this.curves[i]!.colour, theme)));
    if (this.view) {
      this.make();
    }
  }

  resize(): void {
    this.view?.resize(this.host.clientWidth, this.plotHeight());
    this.view?.setTime(this.clock.t);
  }

  /** Makes the plot now, seen or not: for printing. */
  make(): void {
    const width = this.host.clientWidth;
    if (width === 0) {
      return;
    }
    this.view?.destroy();
    this.host.replaceChildren();
    const yLabel = axisLabel(this.curves, this.log);
    const labelOf = (name: string): string => withUnit(name, this.data.report.columns[this.data.indexOf(name)]?.unit ?? '');
    const common = { curves: this.curves, theme: this.theme, width, height: this.plotHeight() };
    this.view = this.againstTime
      ? new TimePlot(this.host, { ...common, xLabel: `time ${labelOf(this.data.report.columns[0]?.name ?? 't')}`, yLabel, log: this.log })
      : new PathPlot(this.host, { ...common, xLabel: labelOf(this.spec.x), yLabel, equal: this.samePlaces() });
    this.view.onSeek = (t) => this.clock.seek(t);
    this.view.onZoom = (zoomed) => (this.resetButton.hidden = !zoomed);
    this.view.onHover = (t) => {
      this.hover = t;
      this.readings(t ?? this.clock.t);
    };
    this.resetButton.hidden = true;
    this.view.setTime(this.clock.t);
    this.readings(this.hover ?? this.clock.t);
  }

  /** Largest size of the visible curves: on a linear axis what is far below is noise of round-off. */
  private largest(): number {
    this.reach ??= Math.max(0, ...this.curves.filter((c) => c.visible).map((c) => Math.max(...(extent(c.values) ?? [0]).map(Math.abs))));
    return this.reach;
  }

  private plotHeight(): number {
    if (!this.againstTime) {
      return Math.max(220, Math.min(340, Math.round(this.host.clientWidth * 0.62)));
    }
    return 228;
  }

  /** Both axes are lengths of one drawing: show the path undistorted, unless it would be a mere line. */
  private samePlaces(): boolean {
    const kind = (name: string): string => this.data.report.columns[this.data.indexOf(name)]?.kind ?? '';
    const tail = (name: string): string => /[xyz]$/i.exec(name)?.[0] ?? '';
    return [this.spec.x, ...this.spec.y].every((name) => kind(name) === 'position' && tail(name) !== '');
  }

  private fillLegend(): void {
    this.curves.forEach((curve, i) => {
      const value = el('span', { class: 'value num' });
      const key = el(
        'button',
        { class: curve.dashed ? 'key dashed' : curve.colour >= coloursInAll ? 'key again' : 'key', title: `Show or hide ${curve.name}`, attrs: { type: 'button', 'aria-pressed': String(curve.visible) } },
        el('span', { class: 'swatch', attrs: { 'aria-hidden': 'true' } }),
        el('span', { class: 'name', text: curve.run ? `${curve.name} ${curve.run}` : curve.name }),
        value,
      );
      key.style.setProperty('--curve', curveColour(curve.colour, this.theme));
      key.addEventListener('click', () => {
        curve.visible = !curve.visible;
        key.setAttribute('aria-pressed', String(curve.visible));
        this.reach = null;
        this.view?.setVisible(i, curve.visible);
      });
      this.values.push(value);
      this.keys.push(key);
    });
    const hidden = this.keys.filter((_, i) => !this.curves[i]!.visible);
    this.keys.filter((_, i) => this.curves[i]!.visible).forEach((key) => this.legend.append(key));
    if (hidden.length > 0) {
      const more = el('button', { class: 'quiet more', text: `${hidden.length} more`, title: `${mostAtOnce} of ${this.curves.length} curves are shown, those that reach furthest`, attrs: { type: 'button', 'aria-expanded': 'false' } });
      more.addEventListener('click', () => {
        more.replaceWith(...hidden);
        hidden[0]?.focus();
      });
      this.legend.append(more);
    }
  }

  private readings(t: number): void {
    this.when.textContent = `t = ${(this.clock.playing ? formatTime : formatInstant)(t, this.clock.duration)}`;
    this.when.classList.toggle('hovered', this.hover !== null);
    const noise = this.log ? 0 : 1e-12 * this.largest();
    this.curves.forEach((curve, i) => {
      const node = this.values[i]!;
      if (node.isConnected) {
        const inside = t <= (curve.time[curve.time.length - 1] ?? Infinity);
        const value = inside ? valueAt(curve.values, rowAt(curve.time, t)) : NaN;
        node.textContent = inside ? formatLive(Math.abs(value) < noise ? 0 : value) : '–';
      }
    });
  }
}
