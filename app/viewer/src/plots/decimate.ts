/** Fewer points, the same picture: in each stretch of an axis the rows with the least and the largest value. */
import type { Numbers } from '../data';

/**
 * Rows of first..last to draw so that a picture of `buckets` columns shows every peak of every curve: the first and last row of each
 * stretch and where each curve is least and largest. Increasing, without doubles.
 */
export function decimateRows(curves: readonly Numbers[], first: number, last: number, buckets: number): Uint32Array {
  const count = last - first + 1;
  if (count <= 0) {
    return new Uint32Array(0);
  }
  if (count <= 2 * buckets || buckets < 1) {
    return Uint32Array.from({ length: count }, (_, i) => first + i);
  }
  const chosen = new Uint32Array(buckets * (2 + 2 * curves.length));
  const picks: number[] = [];
  let used = 0;
  for (let b = 0; b < buckets; ++b) {
    const from = first + Math.floor((b * count) / buckets);
    const to = first + Math.floor(((b + 1) * count) / buckets) - 1;
    picks.length = 0;
    picks.push(from, to);
    for (const curve of curves) {
      let least = -1;
      let largest = -1;
      let low = Infinity;
      let high = -Infinity;
      for (let i = from; i <= to; ++i) {
        const v = curve[i]!;
        if (v < low) {
          low = v;
          least = i;
        }
        if (v > high) {
          high = v;
          largest = i;
        }
      }
      if (least >= 0) {
        picks.push(least, largest);
      }
    }
    picks.sort((p, q) => p - q);
    for (const row of picks) {
      if (used === 0 || chosen[used - 1] !== row) {
        chosen[used++] = row;
      }
    }
  }
  return chosen.subarray(0, used);
}

/** The values of a curve at these rows; `absolute` for logarithmic axes. */
export function pick(values: Numbers, rows: Uint32Array, absolute = false): Float64Array {
  const out = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; ++i) {
    const v = values[rows[i]!]!;
    out[i] = absolute ? Math.abs(v) : v;
  }
  return out;
}

/** Least and largest finite value, or null where there is none. */
export function extent(values: Numbers, first = 0, last = values.length - 1): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (let i = first; i <= last; ++i) {
    const v = values[i]!;
    if (v < low && v > -Infinity) {
      low = v;
    }
    if (v > high && v < Infinity) {
      high = v;
    }
  }
  return low <= high ? [low, high] : null;
}

/** Least positive and largest absolute value: the range of a logarithmic axis. */
export function extentLog(values: Numbers, first = 0, last = values.length - 1): [number, number] | null {
  let low = Infinity;
  let high = 0;
  for (let i = first; i <= last; ++i) {
    const v = Math.abs(values[i]!);
    if (v > 0 && v < Infinity) {
      if (v < low) {
        low = v;
      }
      if (v > high) {
        high = v;
      }
    }
  }
  return high > 0 ? [low, high] : null;
}

/** A range with air above and below; a constant gets a range around itself. */
export function padded(range: [number, number] | null): [number, number] {
  if (!range) {
    return [0, 1];
  }
  const [low, high] = range;
  const spread = high - low;
  const size = Math.max(Math.abs(low), Math.abs(high));
  // Below the resolution of single precision a spread is noise, not motion.
  if (spread <= 1e-6 * size || spread === 0) {
    const half = size > 0 ? 0.1 * size : 1;
    return [low - half, high + half];
  }
  return [low - 0.06 * spread, high + 0.06 * spread];
}

/** Whole decades around the range, at least two, at most thirty. */
export function decades(range: [number, number] | null): [number, number] {
  if (!range) {
    return [1e-16, 1];
  }
  const top = Math.ceil(Math.log10(range[1]) + 1e-9);
  let bottom = Math.floor(Math.log10(range[0]) - 1e-9);
  bottom = Math.max(bottom, top - 30);
  bottom = Math.min(bottom, top - 2);
  return [10 ** bottom, 10 ** top];
}
