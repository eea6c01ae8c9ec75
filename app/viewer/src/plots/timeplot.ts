/** Curves against time. Only what the width can show is handed to uPlot, anew for each zoom. */
import uPlot from 'uplot';
import { locate, type Numbers } from '../data';
import { coloursInAll, curveColour, type Theme } from '../style/palette';
import type { Curve } from './curves';
import { decades, decimateRows, extent, extentLog, padded, pick } from './decimate';
import { axis, plotInk, type PlotView } from './frame';

export interface TimePlotOptions {
  curves: Curve[];
  xLabel: string;
  yLabel: string;
  log: boolean;
  theme: Theme;
  width: number;
  height: number;
}

export class TimePlot implements PlotView {
  readonly element: HTMLElement;
  onHover: (t: number | null) => void = () => undefined;
  onSeek: (t: number) => void = () => undefined;
  onZoom: (zoomed: boolean) => void = () => undefined;

  private readonly plot: uPlot;
  private readonly full: [number, number];
  private range: [number, number];
  private readonly marker: HTMLElement;
  private now = NaN;
  private width: number;

  constructor(
    host: HTMLElement,
    private readonly options: TimePlotOptions,
  ) {
    this.element = host;
    this.width = options.width;
    const ends = options.curves.map((c) => [c.time[0] ?? 0, c.time[c.time.length - 1] ?? 1] as const);
    this.full = [Math.min(...ends.map((e) => e[0])), Math.max(...ends.map((e) => e[1]))];
    if (!(this.full[1] > this.full[0])) {
      this.full = [this.full[0] - 0.5, this.full[0] + 0.5];
    }
    this.range = this.full;
    const ink = plotInk(host);
    this.plot = new uPlot(
      {
        width: options.width,
        height: options.height,
        padding: [10, 14, 0, 0],
        pxAlign: 0,
        legend: { show: false },
        cursor: {
          drag: { x: true, y: false, setScale: false },
          points: { size: 7 },
          bind: { dblclick: () => () => (this.resetZoom(), null) },
        },
        scales: {
          x: { time: false, range: () => this.range },
          y: { distr: options.log ? 3 : 1, range: () => this.valueRange() },
        },
        axes: [axis(ink, options.xLabel, 2), axis(ink, options.yLabel, 3, options.log)],
        series: [
          {},
          ...options.curves.map(
            (curve): uPlot.Series => ({
              label: curve.name,
              show: curve.visible,
              stroke: curveColour(curve.colour, options.theme),
              width: curve.dashed ? 1.4 : 1.7,
              dash: curve.dashed || curve.colour >= coloursInAll ? [5, 4] : [],
              points: { show: false },
              pxAlign: 0,
              spanGaps: options.log,
            }),
          ),
        ],
        hooks: {
          setCursor: [(u) => this.hovered(u)],
          setSelect: [(u) => this.selected(u)],
          drawClear: [() => this.placeMarker()],
          draw: [() => this.placeMarker()],
        },
      },
      this.visibleData(),
      host,
    );
    this.marker = document.createElement('div');
    this.marker.className = 'time-marker';
    this.plot.over.append(this.marker);
    this.bindPointer();
  }

  setTime(t: number): void {
    this.now = t;
    this.placeMarker();
  }

  setVisible(curve: number, visible: boolean): void {
    this.plot.setSeries(curve + 1, { show: visible });
    this.refresh();
  }

  resize(width: number, height: number): void {
    if (width !== this.plot.width || height !== this.plot.height) {
      this.width = width;
      this.plot.setSize({ width, height });
      this.refresh();
    }
  }

  resetZoom(): void {
    this.zoom(this.full);
  }

  zoom(range: [number, number]): void {
    this.range = range;
    this.refresh();
    this.onZoom(range[0] !== this.full[0] || range[1] !== this.full[1]);
  }

  destroy(): void {
    this.plot.destroy();
  }

  /** Rows of a run inside the visible times, with one more at each side. */
  private rows(time: Numbers): [number, number] {
    return [Math.max(locate(time, this.range[0]) - 1, 0), Math.min(locate(time, this.range[1]) + 1, time.length - 1)];
  }

  private visibleData(): uPlot.AlignedData {
    const { curves, log } = this.options;
    const runs = [...new Set(curves.map((c) => c.time))];
    const tables = runs.map((time) => {
      const own = curves.filter((c) => c.time === time);
      const [first, last] = this.rows(time);
      const rows = decimateRows(own.filter((c) => c.visible).map((c) => c.values), first, last, Math.max(200, Math.round(this.width)));
      return [pick(time, rows), ...own.map((c) => (log ? positive(pick(c.values, rows, true)) : pick(c.values, rows)))] as unknown as uPlot.AlignedData;
    });
    if (tables.length === 1) {
      return tables[0]!;
    }
    const joined = uPlot.join(tables) as unknown as uPlot.AlignedData;
    // join puts the runs one behind the other; the series stay in the order of the curves
    const order = runs.flatMap((time) => curves.map((c, i) => [c, i] as const).filter(([c]) => c.time === time).map(([, i]) => i));
    const out: unknown[] = [joined[0]];
    order.forEach((curve, k) => (out[curve + 1] = joined[k + 1]));
    return out as unknown as uPlot.AlignedData;
  }

  private valueRange(): [number, number] {
    const { curves, log } = this.options;
    let low = Infinity;
    let high = -Infinity;
    for (const curve of curves) {
      if (curve.visible) {
        const [first, last] = this.rows(curve.time);
        const e = (log ? extentLog : extent)(curve.values, first, last);
        if (e) {
          low = Math.min(low, e[0]);
          high = Math.max(high, e[1]);
        }
      }
    }
    const found: [number, number] | null = low <= high ? [low, high] : null;
    return log ? decades(found) : padded(found);
  }

  private refresh(): void {
    this.plot.setData(this.visibleData(), true);
    this.placeMarker();
  }

  private hovered(u: uPlot): void {
    const left = u.cursor.left ?? -1;
    this.onHover(left < 0 ? null : u.posToVal(left, 'x'));
  }

  private selected(u: uPlot): void {
    if (u.select.width > 6) {
      this.zoom([u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]);
    }
    if (u.select.width > 0) {
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    }
  }

  private placeMarker(): void {
    if (!this.marker) {
      return;
    }
    const seen = this.now >= this.range[0] && this.now <= this.range[1];
    this.marker.style.visibility = seen ? 'visible' : 'hidden';
    if (seen) {
      this.marker.style.transform = `translateX(${this.plot.valToPos(this.now, 'x').toFixed(1)}px)`;
    }
  }

  /** A click sets the time; the marker can be dragged. */
  private bindPointer(): void {
    const over = this.plot.over;
    let from = 0;
    over.addEventListener('mousedown', (event) => (from = event.clientX));
    over.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - from) < 4 || from === 0) {
        this.onSeek(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
      }
    });
    this.marker.addEventListener('mousedown', (event) => event.stopPropagation());
    this.marker.addEventListener('pointerdown', (event) => {
      event.stopPropagation();
      event.preventDefault();
      this.marker.setPointerCapture(event.pointerId);
    });
    this.marker.addEventListener('pointermove', (event) => {
      if (this.marker.hasPointerCapture(event.pointerId)) {
        this.onSeek(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
      }
    });
  }
}

/** A logarithmic axis has no place for zero: it is left out, and the curve goes on behind it. */
function positive(values: Float64Array): (number | null)[] {
  return Array.from(values, (v) => (v > 0 ? v : null));
}
