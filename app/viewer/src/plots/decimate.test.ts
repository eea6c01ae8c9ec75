import { describe, expect, it } from 'vitest';
import { decades, decimateRows, extent, extentLog, padded, pick } from './decimate';
import { equalScales } from './pathplot-math';

describe('decimation', () => {
  const n = 100000;
  const wave = Float32Array.from({ length: n }, (_, i) => Math.sin(i / 37));
  const spike = new Float32Array(n);
  spike[54321] = 9;
  spike[54322] = -7;
  it('keeps the extremes of every curve, also single spikes', () => {
    const rows = decimateRows([wave, spike], 0, n - 1, 500);
    expect(rows.length).toBeLessThan(500 * 6 + 1);
    expect([...rows]).toContain(54321);
    expect([...rows]).toContain(54322);
    expect(extent(pick(wave, rows))).toEqual(extent(wave));
  });
  it('keeps the extremes of each column of the picture', () => {
    const rows = decimateRows([wave], 0, n - 1, 400);
    for (let b = 0; b < 400; ++b) {
      const [from, to] = [b * 250, b * 250 + 249];
      const own = rows.filter((r) => r >= from && r <= to);
      expect(extent(pick(wave, own))).toEqual(extent(wave, from, to));
    }
  });
  it('gives increasing rows without doubles, from the first to the last', () => {
    const rows = decimateRows([wave, spike], 10, 90000, 333);
    expect([rows[0], rows[rows.length - 1]]).toEqual([10, 90000]);
    rows.forEach((row, i) => i > 0 && expect(row).toBeGreaterThan(rows[i - 1]!));
  });
  it('leaves short curves as they are and survives missing numbers', () => {
    expect([...decimateRows([wave], 5, 9, 500)]).toEqual([5, 6, 7, 8, 9]);
    const holes = new Float32Array(n).fill(NaN);
    expect(decimateRows([holes], 0, n - 1, 100).length).toBe(200);
    expect(extent(holes)).toBeNull();
  });
});

describe('ranges', () => {
  it('of a constant surround it', () => {
    expect(padded([5, 5])).toEqual([4.5, 5.5]);
    expect(padded([0, 0])).toEqual([-1, 1]);
    expect(padded(null)).toEqual([0, 1]);
  });
  it('of a logarithmic axis are whole decades', () => {
    const range = decades(extentLog(Float64Array.from([0, 3e-16, -2e-14, 0])));
    expect(range[0]).toBeCloseTo(1e-16, 20);
    expect(range[1]).toBeCloseTo(1e-13, 20);
    expect(extentLog(Float64Array.from([0, 0]))).toBeNull();
  });
  it('of a logarithmic axis are about sizes', () => {
    expect([...pick(Float64Array.from([0, -2, 3]), Uint32Array.from([0, 1, 2]), true)]).toEqual([0, 2, 3]);
  });
  it('with equal scales contain both ranges', () => {
    const { x, y } = equalScales([0, 1], [0, 4], [400, 200]);
    expect((x[1] - x[0]) / 400).toBeCloseTo((y[1] - y[0]) / 200);
    expect(x[0]).toBeLessThanOrEqual(0);
    expect(x[1]).toBeGreaterThanOrEqual(1);
    expect(y).toEqual([0, 4]);
  });
});
