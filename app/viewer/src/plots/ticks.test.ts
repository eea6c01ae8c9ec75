import { expect, it } from 'vitest';
import { decadeTicks, linearTicks } from './ticks';

it('linear ticks are round and not too many', () => {
  expect(linearTicks(-1.1, 1.1, 6)).toEqual([-1, -0.5, 0, 0.5, 1]);
  expect(linearTicks(0, 10, 7)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(linearTicks(0.1, 0.4, 4)).toEqual([0.1, 0.2, 0.3, 0.4]);
  for (const size of [1e-31, 1e-16, 3e-5, 7, 4e12]) {
    const ticks = linearTicks(-0.3 * size, size, 6);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(ticks.length).toBeLessThanOrEqual(8);
  }
});

it('ticks end also where numbers cannot tell them apart', () => {
  expect(linearTicks(1, 1 + 2e-16, 5).length).toBeLessThan(1000);
  expect(linearTicks(2, 2, 5)).toEqual([]);
  expect(linearTicks(0, Infinity, 5)).toEqual([]);
});

it('decades are exact powers, also tiny ones', () => {
  expect(decadeTicks(1e-3, 10)).toEqual([1e-3, 1e-2, 1e-1, 1, 10]);
  expect(decadeTicks(1e-30, 1e-13)).toHaveLength(18);
  expect(decadeTicks(0, 1)).toEqual([]);
});

it('an axis has three numbers where it has room for four', () => {
  expect(linearTicks(-4.96, 4.28, 4)).toEqual([-4, -2, 0, 2, 4]);
  expect(linearTicks(-11.3, 9.2, 4)).toEqual([-10, -5, 0, 5]);
});
