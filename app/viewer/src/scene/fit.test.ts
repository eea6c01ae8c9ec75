import { expect, it } from 'vitest';
import { outlineOf, samplesOf } from './fit';

const box = (list: { at: { x: number; y: number; z: number }; reach: number }[]): number[][] =>
  (['x', 'y', 'z'] as const).map((k) => [Math.min(...list.map((o) => o.at[k] - o.reach)), Math.max(...list.map((o) => o.at[k] + o.reach))]);

it('outlines enclose their shapes', () => {
  expect(box(outlineOf({ kind: 'sphere', radius: 2, at: [1, 0, 0] }))).toEqual([[-1, 3], [-2, 2], [-2, 2]]);
  expect(box(outlineOf({ kind: 'line', from: [0, 0, 0], to: [1, -2, 0] }))).toEqual([[0, 1], [-2, 0], [0, 0]]);
  const rim = box(outlineOf({ kind: 'cylinder', radius: 1, length: 4, axis: [0, 0, 2] }));
  expect(rim.flat().map((v) => Number(v.toFixed(9)))).toEqual([-1, 1, -1, 1, -2, 2]);
});

it('a box is turned with its axes', () => {
  // A quarter turn about z: what was along x lies along y.
  const turned = box(outlineOf({ kind: 'box', size: [4, 2, 6], rotation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2] }));
  expect(turned.flat().map((v) => Number(v.toFixed(9)))).toEqual([-1, 1, -2, 2, -3, 3]);
});

it('samples of a line lie all along it', () => {
  const places = samplesOf({ kind: 'line', from: [0, 0, 0], to: [8, 0, 0] });
  expect(places.map((p) => p.x)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});
