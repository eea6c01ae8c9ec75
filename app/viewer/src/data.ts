/** Reads the report of a page: JSON and one block of binary numbers. Columns and tracks are views, never copies. */
import type { Report, Scene, Series, Track } from './types';

export type Numbers = Float32Array | Float64Array;

export interface Decoded {
  report: Report;
  /** Values of all columns, in the order of report.columns. */
  columns: Numbers[];
  time: Numbers;
  compare?: { label: string; time: Numbers; columns: Numbers[]; names: string[] };
  track(track: Track): Float32Array;
  /** Index of a column by its name, -1 if there is none. */
  indexOf(name: string): number;
}

const codes = /* of the 64 letters of base64 */ (() => {
  const table = new Uint8Array(128).fill(255);
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let i = 0; i < 64; ++i) {
    table[letters.charCodeAt(i)] = i;
  }
  return table;
})();

interface FromBase64 {
  fromBase64?: (text: string) => Uint8Array;
}

/** Bytes of a base64 text without white space inside; uses the browser's own decoder where it has one. */
export function decodeBase64(text: string): Uint8Array {
  const native = (Uint8Array as unknown as FromBase64).fromBase64;
  return native ? native(text) : decodeBase64Portable(text.trim());
}

/** The same by a table: three bytes from four letters. */
export function decodeBase64Portable(text: string): Uint8Array {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 61 /* = */) {
    --end;
  }
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  let o = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < end; ++i) {
    const code = codes[text.charCodeAt(i) & 127]!;
    if (code === 255) {
      throw new Error(`the numbers of this report are damaged (letter ${i} of the data block)`);
    }
    bits = (bits << 6) | code;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[o++] = bits >> held;
      bits &= (1 << held) - 1;
    }
  }
  return bytes;
}

function view(buffer: ArrayBuffer, base: number, series: { offset: number; type: string }, count: number, what: string): Numbers {
  const size = series.type === 'f64' ? 8 : 4;
  const start = base + series.offset;
  if (series.offset < 0 || start + size * count > buffer.byteLength) {
    throw new Error(`this report is cut off: the numbers of ${what} are missing`);
  }
  if (start % size !== 0) {
    return series.type === 'f64' ? new Float64Array(buffer.slice(start, start + size * count)) : new Float32Array(buffer.slice(start, start + size * count));
  }
  return series.type === 'f64' ? new Float64Array(buffer, start, count) : new Float32Array(buffer, start, count);
}

/** Up or a good part of the forces stand across the x-y plane. */
function pointsOut(scene: Scene, columns: Numbers[]): boolean {
  const largest = (column: number): number => {
    let size = 0;
    for (const v of columns[column] ?? []) {
      size = Math.max(size, Math.abs(v));
    }
    return size;
  };
  const forces = scene.arrows.filter((a) => a.what === 'force');
  const inPlane = Math.max(0, ...forces.flatMap((a) => [largest(a.columns[0]), largest(a.columns[1])]));
  const across = Math.max(0, ...forces.map((a) => largest(a.columns[2])));
  return Math.abs(scene.up[2]) > 0.7 * Math.hypot(...scene.up) || across > 0.2 * inPlane;
}

/** Typed views of the block `bytes` as the report describes it. */
export function decode(report: Report, bytes: Uint8Array): Decoded {
  if (report.format !== 1) {
    throw new Error(`this report has format ${String(report.format)}; this page reads format 1`);
  }
  const buffer = bytes.buffer as ArrayBuffer;
  const base = bytes.byteOffset;
  const columnsOf = (list: Series[], rows: number): Numbers[] => list.map((c) => view(buffer, base, c, rows, c.name));
  const columns = columnsOf(report.columns, report.rows);
  if (report.scene.planar && pointsOut(report.scene, columns)) {
    report.scene.planar = false; // seen from above, weight and forces would point at the reader
    report.scene.up = [0, 0, 1];
  }
  const byName = new Map(report.columns.map((c, i) => [c.name, i]));
  const tracks = new Map<string, Float32Array>();
  const decoded: Decoded = {
    report,
    columns,
    time: columns[0] ?? new Float64Array(0),
    track(track) {
      const key = `${track.offset}:${track.width}`;
      let values = tracks.get(key);
      if (!values) {
        values = view(buffer, base, { offset: track.offset, type: 'f32' }, report.scene.frames * track.width, 'the animation') as Float32Array;
        tracks.set(key, values);
      }
      return values;
    },
    indexOf: (name) => byName.get(name) ?? -1,
  };
  if (report.compare) {
    const list = columnsOf(report.compare.columns, report.compare.rows);
    decoded.compare = { label: report.compare.label, time: list[0] ?? new Float64Array(0), columns: list, names: report.compare.columns.map((c) => c.name) };
  }
  return decoded;
}

/** Report and numbers of a page that follows the contract. */
export function readPage(page: Document): Decoded {
  const json = page.getElementById('ananke-report')?.textContent;
  const data = page.getElementById('ananke-data');
  if (!json) {
    throw new Error('this page carries no report');
  }
  const bytes = decodeBase64((data?.textContent ?? '').trim());
  data?.remove(); // its text is many megabytes and no longer needed
  return decode(JSON.parse(json) as Report, bytes);
}

/** The last i with time[i] <= t (0 if there is none), for increasing times. */
export function locate(time: Numbers, t: number): number {
  let low = 0;
  let high = time.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle]! <= t) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return Math.max(low, 0);
}

/** Row and fraction of the way to the next row at time t. */
export function rowAt(time: Numbers, t: number): { row: number; fraction: number } {
  const row = locate(time, t);
  const here = time[row] ?? 0;
  const next = time[row + 1];
  if (next === undefined || !(next > here)) {
    return { row, fraction: 0 };
  }
  return { row, fraction: Math.min(Math.max((t - here) / (next - here), 0), 1) };
}

/** Value of a column between its rows, on a straight line. */
export function valueAt(values: Numbers, at: { row: number; fraction: number }): number {
  const a = values[at.row] ?? NaN;
  if (at.fraction === 0) {
    return a;
  }
  const b = values[at.row + 1] ?? a;
  return a + (b - a) * at.fraction;
}
