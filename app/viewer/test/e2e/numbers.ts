/** Numbers as the page writes them, and as a CSV file has them. */

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Reads back what format.ts wrote; `step` is half of its last digit. */
export function readNumber(text: string): { value: number; step: number } {
  const plain = text.trim().replace(/−/g, '-');
  const match = /^(-?)([\d.]*)(?:·?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?$/.exec(plain);
  if (!match || plain === '') {
    return { value: NaN, step: 0 };
  }
  const exponent = match[3] ? Number(match[3].replace('⁻', '-').replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (d) => String(superscripts.indexOf(d)))) : 0;
  const digits = match[2] === '' ? '1' : match[2]!;
  const decimals = digits.includes('.') ? digits.length - digits.indexOf('.') - 1 : 0;
  return { value: Number(`${match[1]}${digits}`) * 10 ** exponent, step: 0.5 * 10 ** (exponent - decimals) };
}

export interface Csv {
  names: string[];
  rows: number[][];
}

function fields(line: string): string[] {
  const out: string[] = [];
  const pattern = /("(?:[^"]|"")*"|[^,]*)(,|$)/gy;
  for (let m = pattern.exec(line); m; m = pattern.exec(line)) {
    out.push(m[1]!.startsWith('"') ? m[1]!.slice(1, -1).replace(/""/g, '"') : m[1]!);
    if (m[2] === '') {
      break;
    }
  }
  return out;
}

export function parseCsv(text: string): Csv {
  const lines = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  return { names: fields(lines[0] ?? ''), rows: lines.slice(1).map((line) => fields(line).map(Number)) };
}
