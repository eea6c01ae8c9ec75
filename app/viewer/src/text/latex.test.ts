import { expect, it } from 'vitest';
import { joinLines, splitLatex, splitLines } from './latex';

it('a formula without environment is one line', () => {
  expect(splitLatex('x^2 + y^2')).toEqual([{ lines: ['x^2 + y^2'], aligned: false }]);
});

it('a matrix stays whole', () => {
  const matrix = 'M = \\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\end{pmatrix}';
  expect(splitLatex(`\\[ ${matrix} \\]`)).toEqual([{ lines: [matrix], aligned: false }]);
  expect(splitLatex(matrix)).toEqual([{ lines: [matrix], aligned: false }]);
});

it('align is cut at its own line ends only', () => {
  const blocks = splitLatex('\\begin{align*}\n a &= \\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix} \\\\\n b &= \\frac{1}{2} \\\\[2pt]\n c &= \\{3\\}\n\\end{align*}');
  expect(blocks).toHaveLength(1);
  expect(blocks[0]).toEqual({ lines: ['a &= \\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}', 'b &= \\frac{1}{2}', 'c &= \\{3\\}'], aligned: true });
  expect(joinLines(blocks[0]!, blocks[0]!.lines.slice(1))).toBe('\\begin{aligned}b &= \\frac{1}{2} \\\\ c &= \\{3\\}\\end{aligned}');
});

it('several formulas become several blocks; comments are left out', () => {
  const blocks = splitLatex('% note\n\\begin{align*}a &= 1\\end{align*}\n\\begin{align*}b &= 2 \\\\ c &= 3\\end{align*}');
  expect(blocks.map((b) => b.lines)).toEqual([['a &= 1'], ['b &= 2', 'c &= 3']]);
});

it('a text that does not end stays as it is', () => {
  expect(splitLatex('\\[ x')).toEqual([{ lines: ['\\[ x'], aligned: false }]);
  expect(splitLines('a \\\\ ')).toEqual(['a']);
});

it('a line without alignment does not push the others aside', () => {
  expect(splitLatex('\\begin{align*} u + v = w \\\\ a &= 1 \\\\ b &= 2 \\end{align*}')).toEqual([
    { lines: ['u + v = w'], aligned: false },
    { lines: ['a &= 1', 'b &= 2'], aligned: true },
  ]);
});
