import { describe, expect, it } from 'vitest';
import { coincide, placeAt, thinRows, turnAt } from './interpolate';

it('places lie on the line between rows', () => {
  const out = [0, 0, 0];
  placeAt(out, Float32Array.from([0, 0, 0, 1, 2, 4]), 0, 0.25);
  expect(out).toEqual([0.25, 0.5, 1]);
  placeAt(out, Float32Array.from([0, 0, 0, 1, 2, 4]), 1, 0.5);
  expect(out).toEqual([1, 2, 4]);
});

describe('orientations', () => {
  const half = Math.SQRT1_2;
  it('turn evenly about the axis between them', () => {
    const out = [0, 0, 0, 0];
    turnAt(out, Float32Array.from([1, 0, 0, 0, half, half, 0, 0]), 0, 1 / 3);
    expect(out[0]).toBeCloseTo(Math.cos(Math.PI / 12), 6); // a third of 90 degrees
    expect(out[1]).toBeCloseTo(Math.sin(Math.PI / 12), 6);
  });
  it('take the shorter way where the sign of the quaternion flips', () => {
    const out = [0, 0, 0, 0];
    turnAt(out, Float32Array.from([1, 0, 0, 0, -half, -half, 0, 0]), 0, 1 / 3);
    expect(Math.abs(out[0]!)).toBeCloseTo(Math.cos(Math.PI / 12), 6);
  });
  it('have unit length for equal, near and far neighbours', () => {
    for (const angle of [0, 1e-9, 1e-3, 1, 3]) {
      for (const fraction of [0, 0.1, 0.5, 1]) {
        const out = [0, 0, 0, 0];
        turnAt(out, Float32Array.from([1, 0, 0, 0, Math.cos(angle / 2), 0, Math.sin(angle / 2), 0]), 0, fraction);
        expect(Math.hypot(...out)).toBeCloseTo(1, 6);
      }
    }
  });
});

it('thinned rows keep both ends and the limit', () => {
  expect(thinRows(0, 4, 10)).toEqual([0, 1, 2, 3, 4]);
  const rows = thinRows(3, 100003, 500);
  expect(rows.length).toBeLessThanOrEqual(501);
  expect([rows[0], rows[rows.length - 1]]).toEqual([3, 100003]);
  expect(thinRows(0, -1, 5)).toEqual([]);
  expect(thinRows(0, 0, 5)).toEqual([0]);
});

it('tracks coincide only where they do so along the run', () => {
  const a = new Float32Array([0, 0, 0, 1, 0, 0, 2, 0, 0]);
  const apart = new Float32Array([0, 0, 0, 1, 0, 0, 2, 0, 0.5]);
  expect(coincide(a, a.slice(), 0.01)).toBe(true);
  expect(coincide(a, apart, 0.01)).toBe(false);
  expect(coincide(a, apart, 1)).toBe(true);
});
