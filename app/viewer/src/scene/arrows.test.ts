import { expect, it } from 'vitest';
import { rowAt, valueAt, type Decoded } from '../data';
import type { SceneArrow } from '../types';
import { arrowName } from '../ui/labels';
import { Arrow, usualLargest } from './arrows';

const spec: SceneArrow = { owner: 'pin', on: 'rod', what: 'force', at: { offset: 0, width: 3 }, columns: [0, 1, 2], unique: true };

it('a short peak does not rule the scale', () => {
  expect(usualLargest([...Array.from({ length: 95 }, (_, i) => i / 95), 200, 210, 215, 210, 200])).toBeLessThan(1);
  expect(usualLargest([3, 3, 3])).toBe(3);
  expect(usualLargest([])).toBe(0);
});

it('the size of an arrow between rows is that on the curve of the figure', () => {
  const time = Float64Array.of(0, 1, 2);
  const columns = [Float32Array.of(3, 0, 8), Float32Array.of(0, 4, -6), Float32Array.of(0, 0, 0)];
  const data = { time, column: (k: number) => columns[k]!, track: () => new Float32Array(9) } as unknown as Decoded;
  const arrow = new Arrow(data, spec, '#000000', 0.01, 0);
  const sizes = Float64Array.of(3, 4, 10);
  for (const t of [0, 0.25, 0.5, 1, 1.7, 2]) {
    const at = rowAt(time, t);
    expect(arrow.measure(at.row, at.fraction)).toBeCloseTo(valueAt(sizes, at), 6);
  }
});

it('an arrow tells its body where its constraint acts on several', () => {
  const other = { ...spec, on: 'crank' };
  expect(arrowName(spec, [spec, other])).toBe('pin on rod');
  expect(arrowName(spec, [spec, { ...other, what: 'torque' }, { ...other, owner: 'slot' }])).toBe('pin');
});
