/** Places and orientations between two recorded rows. */

/** out = the place at (row, fraction) of a track of three components. */
export function placeAt(out: Float32Array | number[], track: Float32Array, row: number, fraction: number): void {
  const i = 3 * row;
  const j = i + 3 < track.length ? i + 3 : i;
  for (let k = 0; k < 3; ++k) {
    out[k] = track[i + k]! + (track[j + k]! - track[i + k]!) * fraction;
  }
}

/** out = the unit quaternion (w, x, y, z) at (row, fraction), along the shorter arc. */
export function turnAt(out: Float32Array | number[], track: Float32Array, row: number, fraction: number): void {
  const i = 4 * row;
  const j = i + 4 < track.length ? i + 4 : i;
  let dot = 0;
  for (let k = 0; k < 4; ++k) {
    dot += track[i + k]! * track[j + k]!;
  }
  const sign = dot < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(Math.abs(dot), 1));
  let a = 1 - fraction;
  let b = fraction;
  if (angle > 1e-4) {
    const s = Math.sin(angle);
    a = Math.sin(a * angle) / s;
    b = Math.sin(b * angle) / s;
  }
  let norm = 0;
  for (let k = 0; k < 4; ++k) {
    out[k] = a * track[i + k]! + sign * b * track[j + k]!;
    norm += out[k]! * out[k]!;
  }
  norm = Math.sqrt(norm) || 1;
  for (let k = 0; k < 4; ++k) {
    out[k]! /= norm;
  }
}

/** The track midway between two. */
export function between(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((value, i) => (value + (b[i] ?? value)) / 2);
}

/** Rows first..last thinned out to at most `most`, always with both ends. */
export function thinRows(first: number, last: number, most: number): number[] {
  const count = last - first + 1;
  if (count <= 0) {
    return [];
  }
  const stride = Math.max(1, Math.ceil((count - 1) / Math.max(most - 1, 1)));
  const rows: number[] = [];
  for (let row = first; row < last; row += stride) {
    rows.push(row);
  }
  rows.push(last);
  return rows;
}

/** Two tracks that are no farther apart than `near` at the first, the middle and the last row. */
export function coincide(a: Float32Array, b: Float32Array, near: number): boolean {
  const last = Math.max(a.length - 3, 0);
  return [0, 3 * Math.floor(last / 6), last].every((i) => Math.hypot(a[i]! - b[i]!, a[i + 1]! - b[i + 1]!, a[i + 2]! - b[i + 2]!) < near);
}
