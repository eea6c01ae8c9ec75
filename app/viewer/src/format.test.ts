import { describe, expect, it } from 'vitest';
import { formatInstant, formatLive, formatLogTicks, formatParameter, formatTicks, formatTime, formatValue, niceBelow, shortenLong, shortenNumbers } from './format';

describe('values', () => {
  it('have no trailing zeros and a true minus', () => {
    expect([0, 1, -0.5, 9.81, 123456, 0.00012].map((v) => formatValue(v))).toEqual(['0', '1', '−0.5', '9.81', '123456', '0.00012']);
  });
  it('use powers of ten where they are short', () => {
    expect([1e-16, -1e9, 2.5e-7].map((v) => formatValue(v))).toEqual(['10⁻¹⁶', '−10⁹', '2.5·10⁻⁷']);
  });
  it('show what is no number', () => {
    expect([NaN, Infinity, -Infinity].map((v) => formatValue(v))).toEqual(['–', '∞', '−∞']);
  });
  it('keep parameters as given', () => {
    expect([0.1 + 0.2, 9.80665, 1 / 3].map(formatParameter)).toEqual(['0.3', '9.80665', '0.333333']);
  });
  it('keep a constant width while they change', () => {
    expect([0, 0.5, -12.345678, 1234.5678, 1.5e-9].map(formatLive)).toEqual(['0.0000', '0.5000', '−12.346', '1234.6', '1.50·10⁻⁹']);
  });
});

describe('ticks', () => {
  it('have the decimals of their step', () => {
    expect(formatTicks([-0.5, 0, 0.5, 1], 0.5)).toEqual(['−0.5', '0.0', '0.5', '1.0']);
    expect(formatTicks([0, 0.25, 0.5], 0.25)).toEqual(['0.00', '0.25', '0.50']);
    expect(formatTicks([0, 20, 40], 20)).toEqual(['0', '20', '40']);
  });
  it('share one power of ten where they are tiny or huge', () => {
    expect(formatTicks([0, 5e-9, 1e-8], 5e-9)).toEqual(['0', '0.5·10⁻⁸', '1.0·10⁻⁸']);
  });
  it('of a logarithmic axis are whole decades, not too many', () => {
    expect(formatLogTicks([1e-3, 2e-3, 1e-2, 1e-1])).toEqual(['10⁻³', '', '10⁻²', '10⁻¹']);
    expect(formatLogTicks(Array.from({ length: 21 }, (_, i) => 10 ** (i - 20))).filter((s) => s !== '').length).toBeLessThanOrEqual(7);
  });
});

it('time has decimals that suit the run', () => {
  expect(formatTime(1.23456, 10)).toBe('1.23');
  expect(formatTime(0.0123456, 0.03)).toBe('0.01235');
  expect(formatTime(123.4, 5000)).toBe('123');
  expect(formatTime(-1e-9, 10)).toBe('0.00');
});

it('nice numbers are 1, 2, 5', () => {
  expect([0.9, 1, 3, 7, 0.04].map(niceBelow).map((v) => Number(v.toPrecision(3)))).toEqual([0.5, 1, 2, 5, 0.02]);
});

it('the time of a run of one instant is a plain number', () => {
  expect(formatTime(0, 0)).toBe('0');
  expect(formatTime(2.5, 0)).toBe('2.5');
});

it('an instant between rows is told as it is', () => {
  expect([0.35, 0.3501, 0.3333333, 0].map((t) => formatInstant(t, 3))).toEqual(['0.350', '0.3501', '0.333333', '0.000']);
  expect(formatInstant(-0.12345, 1)).toBe('−0.12345');
  expect(formatInstant(5, 0)).toBe('5');
});

it('numbers in texts are short, noise is 0, names and whole numbers stay', () => {
  expect(shortenNumbers("x1' 0.8124150211608016 -> -0.4062075105804008")).toBe("x1' 0.812415 -> −0.406208");
  expect(shortenNumbers('a.x = 0.18545921010328845, a.angle = -1.7263884026090357e-15, b = 2.5e-7')).toBe('a.x = 0.185459, a.angle = 0, b = 2.5·10⁻⁷');
  expect(shortenNumbers('x = 1.5, v = -8.202053736916451e-17')).toBe('x = 1.5, v = 0');
  expect(shortenNumbers('rank 8 -> 7: j1.pin[1], v2.5a')).toBe('rank 8 -> 7: j1.pin[1], v2.5a');
});

it('only numbers to the last bit are cut in what is measured', () => {
  expect(shortenLong('to t = 2.2864762619259853: within 1.82e-09 of 0.333333333')).toBe('to t = 2.28647626: within 1.82e-09 of 0.333333333');
  expect(shortenLong('-3.3333333333333335')).toBe('−3.33333333');
});
