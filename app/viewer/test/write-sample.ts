/** Writes the sample reports, and their numbers as CSV, into a folder: npm run sample -- FOLDER */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostile, pendulum, rollingDisk, views, type Sample } from './make-sample';
import { page } from './page';

export function writeSamples(folder: string): Record<string, string> {
  const dist = new URL('../dist/', import.meta.url);
  const script = readFileSync(new URL('viewer.js', dist), 'utf8');
  const style = readFileSync(new URL('viewer.css', dist), 'utf8');
  mkdirSync(folder, { recursive: true });
  const samples: Record<string, Sample> = { pendulum: pendulum(), disk: rollingDisk(), hostile: hostile(), views: views(), large: pendulum(100001, 'A hundred thousand rows') };
  const paths: Record<string, string> = {};
  for (const [name, sample] of Object.entries(samples)) {
    paths[name] = join(folder, `${name}.html`);
    writeFileSync(paths[name], page(sample.report, sample.data, script, style));
    writeFileSync(join(folder, `${name}.csv`), sample.csv);
  }
  return paths;
}

if (process.argv[1]?.endsWith('write-sample.ts')) {
  const paths = writeSamples(process.argv[2] ?? 'dist/samples');
  console.log(Object.values(paths).join('\n'));
}
