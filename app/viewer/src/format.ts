/** Numbers as text. A true minus sign, no trailing zeros, powers of ten only where they help. */

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function superscript(n: number): string {
  const digits = String(Math.abs(n)).replace(/\d/g, (d) => superscripts[Number(d)]!);
  return n < 0 ? `⁻${digits}` : digits;
}

function minus(text: string): string {
  return text.replace('-', '−');
}

/** mantissa·10^exponent with the mantissa already written. */
function power(mantissa: string, exponent: number): string {
  const ten = `10${superscript(exponent)}`;
  if (mantissa === '1') {
    return ten;
  }
  return mantissa === '-1' ? `−${ten}` : `${minus(mantissa)}·${ten}`;
}

/** A value for reading, with about `digits` significant digits. */
export function formatValue(value: number, digits = 5): string {
  if (Number.isNaN(value)) {
    return '–';
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? '∞' : '−∞';
  }
  if (value === 0) {
    return '0';
  }
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(Math.max(digits - 3, 1)).split('e') as [string, string];
    return power(trimZeros(mantissa), Number(exponent));
  }
  return minus(trimZeros(value.toPrecision(digits).includes('e') ? value.toFixed(0) : value.toPrecision(digits)));
}

/** A value of constant width for numbers that change while they are read. */
export function formatLive(value: number): string {
  if (!Number.isFinite(value)) {
    return formatValue(value);
  }
  const size = Math.abs(value);
  if (size === 0) {
    return '0.0000';
  }
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(2).split('e') as [string, string];
    return `${minus(mantissa)}·10${superscript(Number(exponent))}`;
  }
  const decimals = Math.max(0, 4 - Math.max(0, Math.floor(Math.log10(size))));
  return minus(value.toFixed(decimals));
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}

/** A parameter: up to six digits, shortest form. */
export function formatParameter(value: number): string {
  return formatValue(Number(value.toPrecision(6)), 6);
}

/** Labels of the ticks of a linear axis: one power of ten for all, as many decimals as the step needs. */
export function formatTicks(ticks: number[], step: number): string[] {
  const largest = Math.max(...ticks.map(Math.abs), 0);
  if (largest === 0 || !(step > 0)) {
    return ticks.map((v) => formatValue(v));
  }
  if (largest >= 1e5 || largest < 1e-3) {
    const exponent = Math.floor(Math.log10(largest));
    const unit = 10 ** exponent;
    const decimals = decimalsFor(step / unit);
    return ticks.map((v) => (Math.abs(v) < step / 1e6 ? '0' : power((v / unit).toFixed(decimals), exponent)));
  }
  const decimals = decimalsFor(step);
  return ticks.map((v) => minus(Math.abs(v) < step / 1e6 ? (0).toFixed(decimals) : v.toFixed(decimals)));
}

function decimalsFor(step: number): number {
  for (let decimals = 0; decimals < 12; ++decimals) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) {
      return decimals;
    }
  }
  return 12;
}

/** Labels of a logarithmic axis: whole powers of ten only, thinned out to at most `most`. */
export function formatLogTicks(ticks: number[], most = 7): string[] {
  const exponents = ticks.map((v) => Math.round(Math.log10(v)));
  const whole = ticks.map((v, i) => Math.abs(v / 10 ** exponents[i]! - 1) < 1e-6);
  const present = exponents.filter((_, i) => whole[i]);
  const span = present.length > 0 ? Math.max(...present) - Math.min(...present) : 0;
  const stride = [1, 2, 3, 5, 10, 20, 50, 100].find((s) => span / s < most) ?? 100;
  return ticks.map((_, i) => (whole[i] && exponents[i]! % stride === 0 ? `10${superscript(exponents[i]!)}` : ''));
}

/** Time with decimals that suit the length of the run. */
export function formatTime(t: number, duration: number): string {
  if (!(duration > 0)) {
    return formatValue(t);
  }
  const decimals = Math.min(Math.max(2 - Math.floor(Math.log10(Math.max(duration, 1e-12) / 10)), 0), 12);
  return minus((Math.abs(t) < 10 ** -decimals / 2 ? 0 : t).toFixed(decimals));
}

/** The same with up to three decimals more where the instant has them: values that are read beside it belong to this very time. */
export function formatInstant(t: number, duration: number): string {
  const short = formatTime(t, duration);
  if (!(duration > 0)) {
    return short;
  }
  const decimals = short.includes('.') ? short.length - short.indexOf('.') - 1 : 0;
  const long = minus(t.toFixed(Math.min(decimals + 3, 15)));
  return Number(long.replace('−', '-')) === Number(short.replace('−', '-')) ? short : trimZeros(long);
}

/** Numbers with a point or a power of ten, that are no part of a name. */
const inText = /(?<![\p{L}\p{N}_.\]])-?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)(?![\p{L}\p{N}_])/gu;

/** Numbers of a text to so many digits, and 0 where they are noise of round-off beside the largest of them. Whole numbers stay. */
export function shortenNumbers(text: string, digits = 6): string {
  const largest = Math.max(0, ...[...text.matchAll(inText)].map((m) => Math.abs(Number(m[0]))));
  return text.replace(inText, (number) => {
    const value = Number(number);
    return Math.abs(value) < 1e-14 * largest ? '0' : formatValue(value, digits);
  });
}

/** Numbers of a text that are written to the last bit to nine digits; all others as they are. */
export function shortenLong(text: string): string {
  return text.replace(inText, (number) => (number.replace(/e.*$/, '').replace(/\D/g, '').replace(/^0+/, '').length > 12 ? formatValue(Number(number), 9) : number));
}

/** The largest of 1, 2, 5 times a power of ten that is not above x. */
export function niceBelow(x: number): number {
  const unit = 10 ** Math.floor(Math.log10(x));
  const lead = x / unit;
  return unit * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}
