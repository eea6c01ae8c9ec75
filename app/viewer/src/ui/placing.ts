/** Where a label stands: beside what it names, on nothing else that is written or drawn. */

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type Place = readonly [number, number];

export const overlap = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Distance of a place from a box, 0 inside. */
export function distance(box: Box, [x, y]: Place): number {
  return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
}

/** The place of a box that is nearest to (x, y): where a line to it ends. */
export function nearestOf(box: Box, [x, y]: Place): Place {
  return [Math.min(Math.max(x, box.left), box.right), Math.min(Math.max(y, box.top), box.bottom)];
}

export interface Spot {
  box: Box;
  /** Which of the candidates it is: the same one is preferred at the next time. */
  candidate: number;
  /** It stands away from what it names, or nearer to something else: a line must tell. */
  leader: boolean;
}

const gaps = [8, 22, 40];
const directions = [[1, -1], [-1, -1], [1, 1], [-1, 1], [0, -1], [0, 1], [1, 0], [-1, 0]] as const;
/** What counts more than a shorter way: not to lie on another body, and to stay where it was. */
const onAnother = 60;
const stay = 7;

/**
 * The best free place for a label of this size beside `at`; null where there is none near by.
 * `own`: places of what it names; `others`: places of other things, on which it should not lie; `taken`: boxes on which it must not lie.
 */
export function choosePlace(at: Place, size: readonly [number, number], field: readonly [number, number], taken: readonly Box[], own: readonly Place[] = [at], others: readonly Place[] = [], before = -1): Spot | null {
  let best: Spot | null = null;
  let least = Infinity;
  const [width, height] = size;
  for (let candidate = 0; candidate < gaps.length * directions.length; ++candidate) {
    const gap = gaps[Math.floor(candidate / directions.length)]!;
    const [dx, dy] = directions[candidate % directions.length]!;
    const left = at[0] + dx * gap + ((dx - 1) / 2) * width;
    const top = at[1] + dy * gap + ((dy - 1) / 2) * height;
    const box = { left, top, right: left + width, bottom: top + height };
    if (left < 2 || top < 2 || box.right > field[0] - 2 || box.bottom > field[1] - 2 || taken.some((other) => overlap(box, other))) {
      continue;
    }
    const toOwn = Math.min(...own.map((p) => distance(box, p)));
    const toOthers = others.reduce((nearest, p) => Math.min(nearest, distance(box, p)), Infinity);
    const cost = gap + 0.1 * (candidate % directions.length) + (toOthers < 3 ? onAnother : toOthers < toOwn ? onAnother / 4 : 0) - (candidate === before ? stay : 0);
    if (cost < least) {
      least = cost;
      best = { box, candidate, leader: gap > gaps[0]! || toOthers < toOwn };
    }
  }
  return best;
}

/** Small boxes along a stroke from a to b. */
export function along(a: Place, b: Place): Box[] {
  const pieces = Math.min(12, Math.max(1, Math.round(Math.hypot(b[0] - a[0], b[1] - a[1]) / 10)));
  return Array.from({ length: pieces + 1 }, (_, i) => {
    const x = a[0] + ((b[0] - a[0]) * i) / pieces;
    const y = a[1] + ((b[1] - a[1]) * i) / pieces;
    return { left: x - 6, top: y - 6, right: x + 6, bottom: y + 6 };
  });
}

/** The last place on the way from a to b that is inside the field; null where a is outside. */
export function lastInside(a: Place, b: Place, field: readonly [number, number], margin = 14): Place | null {
  const inside = (p: number, k: number): boolean => p >= 0 && p <= field[k]!;
  if (!inside(a[0], 0) || !inside(a[1], 1)) {
    return null;
  }
  let part = 1;
  for (const k of [0, 1] as const) {
    const way = b[k] - a[k];
    const bound = way > 0 ? Math.max(field[k] - margin, a[k]) : Math.min(margin, a[k]);
    if (way !== 0) {
      part = Math.min(part, (bound - a[k]) / way);
    }
  }
  return [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])];
}
