/** Reads the report of a page: JSON and one block of binary numbers, of which each column is decoded when it is first asked for. */
import { thinRows } from './scene/interpolate';
import type { Report, Scene, Series, Track } from './types';

export type Numbers = Float32Array | Float64Array;

export interface Decoded {
  report: Report;
  /** Values of a column, by its place in report.columns; empty for a place that is none. */
  column(index: number): Numbers;
  time: Numbers;
  compare?: { label: string; time: Numbers; column(index: number): Numbers; names: string[] };
  track(track: Track): Float32Array;
  /** Index of a column by its name, -1 if there is none. */
  indexOf(name: string): number;
  /** What was decoded so far. */
  work: { columns: number; tracks: number; bytes: number };
}

/** The block of numbers: bytes, or the base64 text of them. */
export interface Source {
  length: number;
  /** A copy of some bytes, from the start of a buffer of its own. */
  read(from: number, count: number): ArrayBuffer;
}

export function bytesSource(bytes: Uint8Array): Source {
  return { length: bytes.length, read: (from, count) => bytes.slice(from, from + count).buffer as ArrayBuffer };
}

/** Four letters are three bytes: a part of the text is decoded by itself. */
export function base64Source(text: string): Source {
  const end = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length;
  return {
    length: Math.floor((end * 3) / 4),
    read(from, count) {
      const first = Math.floor(from / 3);
      const bytes = decodeBase64(text.slice(4 * first, 4 * Math.ceil((from + count) / 3)));
      return bytes.slice(from - 3 * first, from - 3 * first + count).buffer as ArrayBuffer;
    },
  };
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

/** Up or a good part of the forces stand across the x-y plane. */
function pointsOut(scene: Scene, column: (index: number) => Numbers): boolean {
  const largest = (index: number): number => {
    const values = column(index);
    let size = 0;
    for (const row of thinRows(0, values.length - 1, 400)) {
      size = Math.max(size, Math.abs(values[row]!));
    }
    return size;
  };
  if (Math.abs(scene.up[2]) > 0.7 * Math.hypot(...scene.up)) {
    return true;
  }
  const forces = scene.arrows.filter((a) => a.what === 'force').slice(0, 12);
  const inPlane = Math.max(0, ...forces.flatMap((a) => [largest(a.columns[0]), largest(a.columns[1])]));
  return Math.max(0, ...forces.map((a) => largest(a.columns[2]))) > 0.2 * inPlane;
}

/** The numbers of `source` as the report describes them. */
export function decode(report: Report, source: Source): Decoded {
  if (report.format !== 1) {
    throw new Error(`this report has format ${String(report.format)}; this page reads format 1`);
  }
  const work = { columns: 0, tracks: 0, bytes: 0 };
  const sizeOf = (type: string): number => (type === 'f64' ? 8 : 4);
  const require_ = (offset: number, bytes: number, what: string): void => {
    if (offset < 0 || offset + bytes > source.length) {
      throw new Error(`this report is cut off: the numbers of ${what} are missing`);
    }
  };
  const read = (series: { offset: number; type: string }, count: number): Numbers => {
    const bytes = sizeOf(series.type) * count;
    work.bytes += bytes;
    const buffer = source.read(series.offset, bytes);
    return series.type === 'f64' ? new Float64Array(buffer) : new Float32Array(buffer);
  };
  const none = new Float64Array(0);
  const lazyColumns = (list: Series[], rows: number): ((index: number) => Numbers) => {
    list.forEach((c) => require_(c.offset, sizeOf(c.type) * rows, c.name));
    const known: (Numbers | undefined)[] = new Array<Numbers | undefined>(list.length);
    return (index) => {
      const series = list[index];
      if (!series) {
        return none;
      }
      if (!known[index]) {
        ++work.columns;
        known[index] = read(series, rows);
      }
      return known[index]!;
    };
  };
  const column = lazyColumns(report.columns, report.rows);
  if (report.scene.planar && pointsOut(report.scene, column)) {
    report.scene.planar = false; // seen from above, weight and forces would point at the reader
    report.scene.up = [0, 0, 1];
  }
  const byName = new Map(report.columns.map((c, i) => [c.name, i]));
  const tracks = new Map<string, Float32Array>();
  const decoded: Decoded = {
    report,
    column,
    time: column(0),
    work,
    track(track) {
      const key = `${track.offset}:${track.width}`;
      let values = tracks.get(key);
      if (!values) {
        const count = report.scene.frames * track.width;
        require_(track.offset, 4 * count, 'the animation');
        ++work.tracks;
        values = read({ offset: track.offset, type: 'f32' }, count) as Float32Array;
        tracks.set(key, values);
      }
      return values;
    },
    indexOf: (name) => byName.get(name) ?? -1,
  };
  if (report.compare) {
    const other = lazyColumns(report.compare.columns, report.compare.rows);
    decoded.compare = { label: report.compare.label, time: other(0), column: other, names: report.compare.columns.map((c) => c.name) };
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
  const text = (data?.textContent ?? '').trim();
  data?.remove(); // one copy of many megabytes is enough
  return decode(JSON.parse(json) as Report, base64Source(text));
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
