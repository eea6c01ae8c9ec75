/** Entry of the bundle: mounts the report that the page carries, once its text is complete. */
import 'katex/dist/katex.min.css';
import 'uplot/dist/uPlot.min.css';
import './style/fonts.css';
import './style/page.css';
import './style/print.css';
import { readPage } from './data';
import { mount } from './report';
import { el } from './ui/dom';

export { base64Source, bytesSource, decode, readPage } from './data';
export { mount } from './report';
export { Stage } from './scene/stage';

function start(): void {
  const root = document.getElementById('ananke-root') ?? document.getElementById('ananke-app') ?? document.body.appendChild(el('div', { attrs: { id: 'ananke-root' } }));
  try {
    const mounted = mount(root, readPage(document));
    performance.mark('ananke-mounted');
    (window as unknown as { anankePage: unknown }).anankePage = mounted;
  } catch (error) {
    root.replaceChildren(el('p', { class: 'fatal', attrs: { role: 'alert' }, text: `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}.` }));
  }
}

if (document.getElementById('ananke-report')) {
  start();
} else if (document.readyState === 'loading') {
  document.addEventListener('DOMContentLoaded', () => document.getElementById('ananke-report') && start());
}
