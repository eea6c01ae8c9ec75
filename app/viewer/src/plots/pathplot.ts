/** Quantities against another quantity: a path. uPlot gives axes, grid and zoom; the path is drawn by itself. */
import uPlot from 'uplot';
import { rowAt, valueAt } from '../data';
import { curveColour, type Theme } from '../style/palette';
import type { Curve } from './curves';
import { extent, padded } from './decimate';
import { axis, plotInk, type PlotView } from './frame';
import { equalScales, type Range } from './pathplot-math';

export interface PathPlotOptions {
  curves: Curve[];
  xLabel: string;
  yLabel: string;
  /** One unit is as long on both axes. */
  equal: boolean;
  theme: Theme;
  width: number;
  height: number;
}


export class PathPlot implements PlotView {
  readonly element: HTMLElement;
  onHover: (t: number | null) => void = () => undefined;
  onSeek: (t: number) => void = () => undefined;
  onZoom: (zoomed: boolean) => void = () => undefined;

  private readonly plot: uPlot;
  private zoomed: { x: Range; y: Range } | null = null;
  private readonly dots: HTMLElement[];
  private now = NaN;

  constructor(
    host: HTMLElement,
    private readonly options: PathPlotOptions,
  ) {
    this.element = host;
    const ink = plotInk(host);
    this.plot = new uPlot(
      {
        width: options.width,
        height: options.height,
        padding: [10, 14, 0, 0],
        legend: { show: false },
        cursor: {
          drag: { x: true, y: true, uni: 1e9, setScale: false },
          points: { show: false },
          bind: { dblclick: () => () => (this.resetZoom(), null) },
        },
        scales: { x: { time: false, range: () => this.ranges().x }, y: { range: () => this.ranges().y } },
        axes: [axis(ink, options.xLabel, 2), axis(ink, options.yLabel, 3)],
        series: [{}, { show: true, points: { show: false }, paths: () => null }],
        hooks: {
          draw: [(u) => this.drawPaths(u)],
          setCursor: [(u) => this.hovered(u)],
          setSelect: [(u) => this.selected(u)],
        },
      },
      [[0, 1], [0, 1]],
      host,
    );
    this.dots = options.curves.map((curve) => {
      const dot = document.createElement('div');
      dot.className = 'path-dot';
      dot.style.background = curveColour(curve.colour, options.theme);
      this.plot.over.append(dot);
      return dot;
    });
    this.bindPointer();
  }

  setTime(t: number): void {
    this.now = t;
    this.placeDots();
  }

  setVisible(): void {
    this.plot.setData([[0, 1], [0, 1]], true);
    this.placeDots();
  }

  resize(width: number, height: number): void {
    if (width !== this.plot.width || height !== this.plot.height) {
      this.plot.setSize({ width, height });
      this.setVisible();
    }
  }

  resetZoom(): void {
    this.zoomed = null;
    this.setVisible();
    this.onZoom(false);
  }

  destroy(): void {
    this.plot.destroy();
  }

  private ranges(): { x: Range; y: Range } {
    if (this.zoomed) {
      return this.zoomed;
    }
    const around = (of: (c: Curve) => Range | null): Range => {
      let low = Infinity;
      let high = -Infinity;
      for (const curve of this.options.curves.filter((c) => c.visible)) {
        const e = of(curve);
        if (e) {
          low = Math.min(low, e[0]);
          high = Math.max(high, e[1]);
        }
      }
      return padded(low <= high ? [low, high] : null);
    };
    const x = around((c) => extent(c.against));
    const y = around((c) => extent(c.values));
    return this.options.equal ? equalScales(x, y, this.inner()) : { x, y };
  }

  /** Size of the field between the axes. */
  private inner(): [number, number] {
    const over = this.plot?.over;
    const w = over?.clientWidth ?? 0;
    const h = over?.clientHeight ?? 0;
    return w > 0 && h > 0 ? [w, h] : [this.options.width - 80, this.options.height - 60];
  }

  private drawPaths(u: uPlot): void {
    const context = u.ctx;
    const { left, top, width, height } = u.bbox;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    const ratio = devicePixelRatio || 1;
    context.lineJoin = 'round';
    for (const curve of this.options.curves) {
      if (!curve.visible) {
        continue;
      }
      context.strokeStyle = curveColour(curve.colour, this.options.theme);
      context.lineWidth = (curve.dashed ? 1.4 : 1.7) * ratio;
      context.setLineDash(curve.dashed ? [5 * ratio, 4 * ratio] : []);
      const x0 = u.valToPos(0, 'x', true);
      const kx = u.valToPos(1, 'x', true) - x0;
      const y0 = u.valToPos(0, 'y', true);
      const ky = u.valToPos(1, 'y', true) - y0;
      context.beginPath();
      let px = NaN;
      let py = NaN;
      const n = curve.values.length;
      for (let i = 0; i < n; ++i) {
        const x = x0 + kx * curve.against[i]!;
        const y = y0 + ky * curve.values[i]!;
        if (!(Math.abs(x - px) + Math.abs(y - py) < 0.8) || i === n - 1) {
          if (Number.isNaN(x + y) || Number.isNaN(px)) {
            context.moveTo(x, y);
          } else {
            context.lineTo(x, y);
          }
          px = x;
          py = y;
        }
      }
      context.stroke();
    }
    context.restore();
  }

  private hovered(u: uPlot): void {
    const left = u.cursor.left ?? -1;
    this.onHover(left < 0 ? null : this.nearestTime(left, u.cursor.top ?? 0));
  }

  /** Time at which a curve is nearest to a place of the field, or null where none is near. */
  private nearestTime(left: number, top: number, within = 40): number | null {
    let best = within * within;
    let time: number | null = null;
    const u = this.plot;
    const x0 = u.valToPos(0, 'x');
    const kx = u.valToPos(1, 'x') - x0;
    const y0 = u.valToPos(0, 'y');
    const ky = u.valToPos(1, 'y') - y0;
    for (const curve of this.options.curves.filter((c) => c.visible)) {
      for (let i = 0; i < curve.values.length; ++i) {
        const d = (x0 + kx * curve.against[i]! - left) ** 2 + (y0 + ky * curve.values[i]! - top) ** 2;
        if (d < best) {
          best = d;
          time = curve.time[i]!;
        }
      }
    }
    return time;
  }

  private selected(u: uPlot): void {
    const s = u.select;
    if (s.width > 6 && s.height > 6) {
      this.zoomed = {
        x: [u.posToVal(s.left, 'x'), u.posToVal(s.left + s.width, 'x')],
        y: [u.posToVal(s.top + s.height, 'y'), u.posToVal(s.top, 'y')],
      };
      this.setVisible();
      this.onZoom(true);
    }
    if (s.width > 0 || s.height > 0) {
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    }
  }

  private placeDots(): void {
    this.dots.forEach((dot, i) => {
      const curve = this.options.curves[i]!;
      const at = rowAt(curve.time, this.now);
      const x = this.plot.valToPos(valueAt(curve.against, at), 'x');
      const y = this.plot.valToPos(valueAt(curve.values, at), 'y');
      const [w, h] = this.inner();
      const seen = curve.visible && x >= -1 && x <= w + 1 && y >= -1 && y <= h + 1;
      dot.style.visibility = seen ? 'visible' : 'hidden';
      if (seen) {
        dot.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      }
    });
  }

  private bindPointer(): void {
    const over = this.plot.over;
    let from: [number, number] | null = null;
    over.addEventListener('mousedown', (event) => (from = [event.clientX, event.clientY]));
    over.addEventListener('click', (event) => {
      if (!from || Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 4) {
        const box = over.getBoundingClientRect();
        const t = this.nearestTime(event.clientX - box.left, event.clientY - box.top);
        if (t !== null) {
          this.onSeek(t);
        }
      }
    });
  }
}
