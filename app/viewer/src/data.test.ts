import { describe, expect, it } from 'vitest';
import { base64Source, bytesSource, decode, decodeBase64Portable, locate, rowAt, valueAt } from './data';
import { pendulum } from '../test/make-sample';

describe('base64', () => {
  it('gives back random bytes of every length', () => {
    let seed = 7;
    for (let length = 0; length < 70; ++length) {
      const bytes = Uint8Array.from({ length }, () => (seed = (seed * 1103515245 + 12345) % 2147483648) & 255);
      expect(Array.from(decodeBase64Portable(Buffer.from(bytes).toString('base64')))).toEqual(Array.from(bytes));
    }
  });
  it('reads any part by itself', () => {
    const bytes = Uint8Array.from({ length: 50 }, (_, i) => (37 * i) & 255);
    const source = base64Source(Buffer.from(bytes).toString('base64'));
    expect(source.length).toBe(50);
    for (let from = 0; from < 50; ++from) {
      expect(Array.from(new Uint8Array(source.read(from, 50 - from)))).toEqual(Array.from(bytes.slice(from)));
      expect(Array.from(new Uint8Array(source.read(from, Math.min(8, 50 - from))))).toEqual(Array.from(bytes.slice(from, from + 8)));
    }
  });
  it('refuses damaged text', () => {
    expect(() => decodeBase64Portable('AAA?')).toThrow('letter 3');
  });
});

describe('decode', () => {
  const sample = pendulum(101);
  const data = decode(sample.report, bytesSource(sample.data));
  it('reads columns as the CSV has them', () => {
    const lines = sample.csv.trim().split('\n');
    const names = lines[0]!.split(',');
    expect(data.report.columns.map((c) => c.name)).toEqual(names);
    const row = lines[1 + 37]!.split(',').map(Number);
    names.forEach((_, c) => expect(data.column(c)[37]).toBe(c === 0 ? row[c] : Math.fround(row[c]!)));
  });
  it('decodes what is asked for, once, and nothing else', () => {
    const text = Buffer.from(sample.data).toString('base64');
    const lazy = decode(pendulum(101).report, base64Source(text));
    const before = { ...lazy.work };
    expect(before.tracks).toBe(0);
    expect(before.columns).toBeLessThanOrEqual(2 + 3 * sample.report.scene.arrows.length); // the times of both runs, and which way the forces point
    const last = sample.report.columns.length - 1;
    expect(Array.from(lazy.column(last))).toEqual(Array.from(data.column(last)));
    expect(lazy.column(last)).toBe(lazy.column(last));
    expect(lazy.work).toEqual({ columns: before.columns + 1, tracks: 0, bytes: before.bytes + 4 * 101 });
    expect(data.track(sample.report.scene.points[0]!.track)).toBe(data.track(sample.report.scene.points[0]!.track));
  });
  it('reads the place of a point from its track', () => {
    const track = data.track(sample.report.scene.points[0]!.track);
    expect(track.length).toBe(303);
    expect(track[3 * 50]).toBe(data.column(data.indexOf('x'))[50]);
  });
  it('says what is missing in a block that is cut off', () => {
    expect(() => decode(sample.report, bytesSource(sample.data.slice(0, 900)))).toThrow('cut off');
  });
  it('refuses another format', () => {
    expect(() => decode({ ...sample.report, format: 2 as 1 }, bytesSource(sample.data))).toThrow('format 2');
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
