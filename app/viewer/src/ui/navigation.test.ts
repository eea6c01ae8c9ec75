import { expect, it } from 'vitest';
import { hiddenEdges } from './navigation';

it('a strip fades where it goes on', () => {
  expect(hiddenEdges(0, 300, 300)).toEqual({ before: false, after: false });
  expect(hiddenEdges(0, 300, 450)).toEqual({ before: false, after: true });
  expect(hiddenEdges(70, 300, 450)).toEqual({ before: true, after: true });
  expect(hiddenEdges(150, 300, 450)).toEqual({ before: true, after: false });
});
