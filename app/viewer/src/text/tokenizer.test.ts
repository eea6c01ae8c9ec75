import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tokenize, type TokenKind } from './tokenizer';

const kinds = (text: string): [TokenKind, string][] => tokenize(text).filter((t) => t.kind !== 'space').map((t) => [t.kind, t.text]);
const kindOf = (text: string, word: string): TokenKind | undefined => kinds(text).find(([, t]) => t === word)?.[0];

describe('tokens', () => {
  it('of a statement', () => {
    expect(kinds('constraint rod: x^2 = L^2 # c')).toEqual([
      ['keyword', 'constraint'], ['name', 'rod'], ['operator', ':'], ['name', 'x'], ['operator', '^'], ['number', '2'], ['operator', '='], ['name', 'L'], ['operator', '^'], ['number', '2'], ['comment', '# c'],
    ]);
  });
  it('keywords are keywords only at their place', () => {
    expect(kindOf('parameter mass = 2', 'mass')).toBe('name');
    expect(kindOf('particle P mass 2 at (x, 0, 0)', 'mass')).toBe('clause');
    expect(kindOf('mass x = 2', 'mass')).toBe('keyword');
    expect(kindOf('output a = velocity(P).x', 'velocity')).toBe('function');
    expect(kindOf('body B mass 1 velocity (1, 0, 0)', 'velocity')).toBe('clause');
    expect(kindOf('kinetic point*2', 'point')).toBe('name');
    expect(kindOf('kinetic a +\n  mass*b', 'mass')).toBe('name');
  });
  it('a statement begins after a brace and on a new line', () => {
    expect(kindOf('for i in 1..N { coordinate x[i] }', 'coordinate')).toBe('keyword');
    expect(kinds('for i in 1..N {').map(([, t]) => t)).toEqual(['for', 'i', 'in', '1', '.', '.', 'N', '{']);
  });
  it('know Greek letters, strings that do not end, and numbers', () => {
    expect(kinds('let ω1 = .5e-3')[1]).toEqual(['name', 'ω1']);
    expect(kinds('let ω1 = .5e-3')[3]).toEqual(['number', '.5e-3']);
    expect(kinds('model "open\nlet a = 1')[1]).toEqual(['string', '"open']);
  });
  it('make up the whole text, for every model of the gallery', () => {
    const folder = new URL('../../../../models/', import.meta.url);
    const files = readdirSync(folder).filter((name) => name.endsWith('.ank'));
    expect(files.length).toBeGreaterThan(50);
    for (const file of files) {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const tokens = tokenize(text);
      expect(tokens.map((t) => t.text).join('')).toBe(text);
      // every line that begins in the first column begins a statement or a comment
      const starts = text.split('\n').filter((line) => /^[a-z]/.test(line)).length;
      expect(tokens.filter((t) => t.kind === 'keyword').length, file).toBeGreaterThanOrEqual(starts);
    }
  });
  it('make up hostile text as well', () => {
    const text = '<script>alert("x")</script>\u0000\ud83d\ude00 \\ ` $';
    expect(tokenize(text).map((t) => t.text).join('')).toBe(text);
  });
});
