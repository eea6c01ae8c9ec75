import { describe, expect, it } from 'vitest';
import { decode, decodeBase64Portable, locate, rowAt, valueAt } from './data';
import { pendulum } from '../test/make-sample';

describe('base64', () => {
  it('gives back random bytes of every length', () => {
    let seed = 7;
    for (let length = 0; length < 70; ++length) {
      const bytes = Uint8Array.from({ length }, () => (seed = (seed * 1103515245 + 12345) % 2147483648) & 255);
      expect(Array.from(decodeBase64Portable(Buffer.from(bytes).toString('base64')))).toEqual(Array.from(bytes));
    }
  });
  it('refuses damaged text', () => {
    expect(() => decodeBase64Portable('AAA?')).toThrow('letter 3');
  });
});

describe('decode', () => {
  const sample = pendulum(101);
  const data = decode(sample.report, sample.data);
  it('reads columns as the CSV has them', () => {
    const lines = sample.csv.trim().split('\n');
    const names = lines[0]!.split(',');
    expect(data.report.columns.map((c) => c.name)).toEqual(names);
    const row = lines[1 + 37]!.split(',').map(Number);
    names.forEach((_, c) => expect(data.columns[c]![37]).toBe(c === 0 ? row[c] : Math.fround(row[c]!)));
  });
  it('shares the bytes instead of copying them', () => {
    expect(data.columns[3]!.buffer).toBe(sample.data.buffer);
    expect(data.track(sample.report.scene.points[0]!.track)).toBe(data.track(sample.report.scene.points[0]!.track));
  });
  it('reads the place of a point from its track', () => {
    const track = data.track(sample.report.scene.points[0]!.track);
    expect(track.length).toBe(303);
    expect(track[3 * 50]).toBe(data.columns[data.indexOf('x')]![50]);
  });
  it('says what is missing in a block that is cut off', () => {
    expect(() => decode(sample.report, sample.data.slice(0, 900))).toThrow('cut off');
  });
  it('refuses another format', () => {
    expect(() => decode({ ...sample.report, format: 2 as 1 }, sample.data)).toThrow('format 2');
  });
});

describe('rows at a time', () => {
  const time = Float64Array.from([0, 1, 2, 2, 4]);
  it('finds the last row that is not later', () => {
    expect([-1, 0, 0.5, 1, 1.9, 2, 3, 4, 9].map((t) => locate(time, t))).toEqual([0, 0, 0, 1, 1, 3, 3, 4, 4]);
  });
  it('interpolates between rows and stays inside at the ends', () => {
    expect(rowAt(time, 3)).toEqual({ row: 3, fraction: 0.5 });
    expect(rowAt(time, 99)).toEqual({ row: 4, fraction: 0 });
    expect(rowAt(time, -5)).toEqual({ row: 0, fraction: 0 });
    expect(valueAt(Float64Array.from([0, 1, 2, 10, 20]), rowAt(time, 3))).toBe(15);
  });
});
