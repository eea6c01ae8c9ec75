/** Ranges of the axes of a path. */

export type Range = [number, number];

/** Widens one of two ranges so that a unit is as long on both axes of a field. */
export function equalScales(x: Range, y: Range, [width, height]: [number, number]): { x: Range; y: Range } {
  const perX = (x[1] - x[0]) / width;
  const perY = (y[1] - y[0]) / height;
  const unit = Math.max(perX, perY);
  const widen = (r: Range, size: number): Range => {
    const middle = (r[0] + r[1]) / 2;
    return [middle - (unit * size) / 2, middle + (unit * size) / 2];
  };
  return { x: widen(x, width), y: widen(y, height) };
}
