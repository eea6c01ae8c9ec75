import { expect, it } from 'vitest';
import { cutDetail, endingOf } from './tables';

it('a stop by an event of the model is information, anything else ended early', () => {
  expect(endingOf('done')).toBeNull();
  expect(endingOf('stopped at t = 2.2864762619259853 by the event done')).toEqual({ early: false, text: 'Stopped at t = 2.28647626 by the event done.' });
  expect(endingOf('at t = 1.5707963267948966: the mass matrix is singular')).toEqual({ early: true, text: 'at t = 1.57079633: the mass matrix is singular' });
});

it('long details are cut between their entries', () => {
  expect(cutDetail('short, and whole')).toEqual(['short, and whole', '']);
  const long = Array.from({ length: 30 }, (_, i) => `name${i} = ${i}.5`).join(', ');
  const [head, rest] = cutDetail(long);
  expect(`${head} ${rest}`).toBe(long);
  expect(head.endsWith(',')).toBe(true);
  expect(head.length).toBeLessThanOrEqual(111);
  expect(cutDetail('x'.repeat(400))[0].length).toBeLessThanOrEqual(111);
});
