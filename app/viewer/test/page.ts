/** A report page by the contract, as the program writes it. */
import { createHash } from 'node:crypto';
import type { Report } from '../src/types';

const escape = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** How the policy of a page names the text of an element. */
const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export function page(report: Report, data: Uint8Array, script: string, style: string): string {
  const json = JSON.stringify(report).replace(/</g, '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; font-src data:; img-src data: blob:">
<title>${escape(report.title)}</title>
<style>${style}</style>
</head>
<body>
<div id="ananke-root"></div>
<script type="application/json" id="ananke-report">${json}</script>
<script type="text/plain" id="ananke-data">${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')}</script>
<script>${script}</script>
</body>
</html>
`;
}
