/** From names in a plot's description to curves with numbers. */
import type { Decoded, Numbers } from '../data';
import type { PlotSpec } from '../types';
import { extent } from './decimate';

export interface Curve {
  name: string;
  /** Of which run, where two are compared. */
  run: string;
  /** Decoded when first asked for. */
  readonly values: Numbers;
  /** What it is drawn against: times, or another quantity. */
  readonly against: Numbers;
  unit: string;
  time: Numbers;
  /** Place in the palette. */
  colour: number;
  dashed: boolean;
  visible: boolean;
}

/** More curves than this are not shown at once: those that reach furthest are, the others can be switched on. */
export const mostAtOnce = 8;

function reachOf(values: Numbers): number {
  const range = extent(values);
  return range ? Math.max(Math.abs(range[0]), Math.abs(range[1])) : 0;
}

export function curvesOf(data: Decoded, spec: PlotSpec): Curve[] {
  const curves: Curve[] = [];
  const x = data.indexOf(spec.x);
  const { compare } = data;
  const unitOf = (column: number): string => data.report.columns[column]?.unit ?? '';
  spec.y.forEach((name, i) => {
    const column = data.indexOf(name);
    if (column >= 0) {
      curves.push({
        name, run: '', unit: unitOf(column), time: data.time, colour: i, dashed: false, visible: true,
        get values() { return data.column(column); },
        get against() { return x >= 0 ? data.column(x) : data.time; },
      });
    }
    if (spec.compare && compare) {
      const other = compare.names.indexOf(name);
      const otherX = compare.names.indexOf(spec.x);
      if (other >= 0 && (otherX >= 0 || x <= 0)) {
        curves.push({
          name, run: compare.label, unit: unitOf(column), time: compare.time, colour: i, dashed: true, visible: true,
          get values() { return compare.column(other); },
          get against() { return otherX >= 0 ? compare.column(otherX) : compare.time; },
        });
      }
    }
  });
  if (curves.length > mostAtOnce * (spec.compare ? 2 : 1)) {
    const furthest = curves.map((c, i) => [reachOf(c.values), i] as const).sort((p, q) => q[0] - p[0] || p[1] - q[1]);
    const shown = new Set(furthest.slice(0, mostAtOnce).map(([, i]) => i));
    let colour = 0;
    curves.forEach((curve, i) => {
      curve.visible = shown.has(i);
      if (curve.visible) {
        curve.colour = colour++;
      }
    });
    curves.forEach((curve) => {
      if (!curve.visible) {
        curve.colour = colour++;
      }
    });
  }
  return curves;
}

/** Text beside an axis: the names, and the unit that all share. */
export function axisLabel(curves: readonly { name: string; unit: string }[], log = false): string {
  const text = namesLabel(curves.map((c) => c.name));
  const unit = curves[0]?.unit ?? '';
  return withUnit(log ? `|${text}|` : text, curves.every((c) => c.unit === unit) ? unit : '');
}

export function withUnit(name: string, unit: string): string {
  return unit === '' ? name : `${name} [${unit}]`;
}

function namesLabel(names: string[]): string {
  const distinct = [...new Set(names)];
  if (distinct.length <= 4 && distinct.join(', ').length <= 36) {
    return distinct.join(', ');
  }
  // force[hinge:door].x, force[hinge:door].y: what stands before the bracket is common
  const stems = new Set(distinct.map((name) => /^(\|?[\p{L}_]\w*)\[/u.exec(name)?.[1] ?? ''));
  if (stems.size === 1 && !stems.has('')) {
    const [stem] = [...stems];
    return stem!.startsWith('|') ? `${stem}|` : stem!;
  }
  return `${distinct.slice(0, 2).join(', ')}, …`;
}
