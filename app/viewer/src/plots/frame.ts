/** What both kinds of plots share: axes in the style of the page. */
import type uPlot from 'uplot';
import { formatLogTicks, formatTicks } from '../format';
import { decadeTicks, linearTicks } from './ticks';

export interface PlotInk {
  text: string;
  grid: string;
  font: string;
  accent: string;
}

/** Colours of plots, from the page's own style. */
export function plotInk(root: Element): PlotInk {
  const style = getComputedStyle(root);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  return { text: read('--ink-soft'), grid: read('--rule'), font: `13px ${read('--sans')}`, accent: read('--accent') };
}

/** A plot of the page, whatever it is drawn against. */
export interface PlotView {
  readonly element: HTMLElement;
  /** Time under the pointer, or null. */
  onHover: (t: number | null) => void;
  onSeek: (t: number) => void;
  onZoom: (zoomed: boolean) => void;
  setTime(t: number): void;
  setVisible(curve: number, visible: boolean): void;
  resize(width: number, height: number): void;
  resetZoom(): void;
  destroy(): void;
}

let ruler: CanvasRenderingContext2D | null = null;

function widest(texts: string[], font: string): number {
  ruler ??= document.createElement('canvas').getContext('2d');
  if (!ruler) {
    return 40;
  }
  ruler.font = font;
  return Math.max(0, ...texts.map((text) => ruler!.measureText(text).width));
}

export function axis(ink: PlotInk, label: string, side: 2 | 3, log = false): uPlot.Axis {
  const vertical = side === 3;
  return {
    side,
    stroke: ink.text,
    font: ink.font,
    label,
    labelFont: ink.font,
    labelSize: vertical ? 22 : 20,
    labelGap: vertical ? 2 : 0,
    gap: 6,
    size: vertical ? (_u, values) => Math.ceil(widest(values ?? [], ink.font)) + 16 : 30,
    space: vertical ? 34 : 74,
    splits: (u, _axis, low, high) => {
      const pixels = (vertical ? u.bbox.height : u.bbox.width) / (devicePixelRatio || 1) || 300;
      return log ? decadeTicks(low, high) : linearTicks(low, high, Math.floor(pixels / (vertical ? 34 : 74)));
    },
    grid: { stroke: ink.grid, width: 1, filter: (_u, splits) => (log ? wholeDecades(splits) : splits) },
    ticks: { stroke: ink.grid, width: 1, size: 5, filter: (_u, splits) => (log ? wholeDecades(splits) : splits) },
    values: (_u, splits) => (log ? formatLogTicks(splits) : formatTicks(splits, splits.length > 1 ? splits[1]! - splits[0]! : 0)),
    ...(log ? { filter: (_u: uPlot, splits: number[]) => splits } : {}),
  };
}

function wholeDecades(splits: number[]): (number | null)[] {
  const labels = formatLogTicks(splits);
  return splits.map((v, i) => (labels[i] === '' ? null : v));
}
