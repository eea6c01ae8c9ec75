import { describe, expect, it } from 'vitest';
import { choosePlace, lastInside, overlap, type Box } from './placing';

const field = [400, 300] as const;
const size = [40, 18] as const;

describe('labels', () => {
  it('stand right above, without a line, where nothing is in the way', () => {
    const spot = choosePlace([100, 100], size, field, [])!;
    expect(spot.box).toEqual({ left: 108, top: 74, right: 148, bottom: 92 });
    expect(spot.leader).toBe(false);
  });
  it('never lie on what is written, and are left out where there is no room', () => {
    const taken: Box[] = [{ left: 60, top: 60, right: 150, bottom: 99 }];
    const spot = choosePlace([100, 100], size, field, taken)!;
    expect(taken.some((box) => overlap(box, spot.box))).toBe(false);
    expect(choosePlace([100, 100], size, field, [{ left: 0, top: 0, right: 400, bottom: 300 }])).toBeNull();
    const corner = choosePlace([1, 1], size, field, [])!.box;
    expect(Math.min(corner.left, corner.top)).toBeGreaterThanOrEqual(2);
  });
  it('avoid another body, or tell by a line what they name', () => {
    const rod = Array.from({ length: 20 }, (_, i) => [100 + 8 * i, 90 - 2 * i] as const);
    const free = choosePlace([100, 100], size, field, [], [[100, 100]], rod)!;
    expect(rod.every(([x, y]) => !overlap(free.box, { left: x, right: x, top: y, bottom: y }))).toBe(true);
    const close = choosePlace([100, 100], size, field, [{ left: 88, top: 88, right: 112, bottom: 112 }])!;
    expect(close.leader).toBe(true);
  });
  it('stay where they were while that is about as good', () => {
    expect(choosePlace([100, 100], size, field, [], undefined, undefined, 3)!.candidate).toBe(3);
  });
});

it('an arrow that leaves the picture is labelled where it does', () => {
  expect(lastInside([100, 100], [100, 50], field)).toEqual([100, 50]);
  expect(lastInside([100, 100], [900, 100], field)).toEqual([386, 100]);
  expect(lastInside([-5, 100], [900, 100], field)).toBeNull();
});
