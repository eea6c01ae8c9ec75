/** The text of a model with line numbers and colours. */
import { el } from '../ui/dom';
import { tokenize } from './tokenizer';

export function modelTextElement(text: string): HTMLElement {
  const code = el('code', { class: 'ank' });
  let line = el('span', { class: 'line' });
  code.append(line);
  for (const token of tokenize(text.replace(/\r\n/g, '\n').replace(/\n+$/, ''))) {
    token.text.split('\n').forEach((piece, i) => {
      if (i > 0) {
        line.append('\n');
        line = el('span', { class: 'line' });
        code.append(line);
      }
      if (piece !== '') {
        line.append(token.kind === 'space' || token.kind === 'name' ? piece : el('span', { class: `tok-${token.kind}`, text: piece }));
      }
    });
  }
  return el('pre', { class: 'model-text', attrs: { tabindex: '0', role: 'region', 'aria-label': 'Text of the model' } }, code);
}
