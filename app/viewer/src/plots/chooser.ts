/** A dialog to choose quantities for a new plot. */
import type { Decoded } from '../data';
import type { PlotSpec } from '../types';
import { el, freshId } from '../ui/dom';

const kindNames: Record<string, string> = {
  time: 'Time', position: 'Positions', velocity: 'Velocities', acceleration: 'Accelerations', force: 'Forces of constraint', multiplier: 'Multipliers', control: 'Controls',
  residual: 'Residuals', pointForce: 'Forces and torques on bodies', energy: 'Energy', output: 'Outputs', principle: 'Principles',
};
const mostListed = 240;

export function chooser(data: Decoded, onAdd: (spec: PlotSpec) => void): HTMLDialogElement {
  const { columns } = data.report;
  const chosen = new Set<string>();
  const xId = freshId();
  const x = el('select', { attrs: { id: xId } });
  columns.forEach((column, i) => x.append(el('option', { text: i === 0 ? `time ${column.name}` : column.name, attrs: { value: column.name } })));
  const searchId = freshId();
  const search = el('input', { attrs: { type: 'search', id: searchId, placeholder: 'part of a name', autocomplete: 'off' } });
  const list = el('div', { class: 'choices', attrs: { tabindex: '0', role: 'group', 'aria-label': 'Quantities' } });
  const log = el('input', { attrs: { type: 'checkbox' } });
  const add = el('button', { class: 'primary', text: 'Add plot', attrs: { type: 'submit' } });
  const chosenNote = el('p', { class: 'note', attrs: { 'aria-live': 'polite' } });

  const refresh = (): void => {
    add.disabled = chosen.size === 0;
    chosenNote.textContent = chosen.size === 0 ? 'Choose one or more quantities.' : [...chosen].join(', ');
  };
  const fill = (): void => {
    const wanted = search.value.trim().toLowerCase();
    const matches = columns.filter((c, i) => i > 0 && c.name.toLowerCase().includes(wanted));
    const groups = new Map<string, HTMLElement>();
    for (const column of matches.slice(0, mostListed)) {
      let group = groups.get(column.kind);
      if (!group) {
        group = el('fieldset', {}, el('legend', { text: kindNames[column.kind] ?? column.kind }));
        groups.set(column.kind, group);
      }
      const box = el('input', { attrs: { type: 'checkbox', value: column.name } });
      box.checked = chosen.has(column.name);
      box.addEventListener('change', () => {
        if (box.checked) {
          chosen.add(column.name);
        } else {
          chosen.delete(column.name);
        }
        refresh();
      });
      group.append(el('label', { class: 'check' }, box, el('span', { text: column.name })));
    }
    list.replaceChildren(...groups.values());
    if (matches.length > mostListed) {
      list.append(el('p', { class: 'note', text: `${matches.length - mostListed} more: write a part of the name above.` }));
    } else if (matches.length === 0) {
      list.append(el('p', { class: 'note', text: 'No quantity has this in its name.' }));
    }
  };
  search.addEventListener('input', fill);

  const dialog = el('dialog', { class: 'chooser', attrs: { 'aria-label': 'New plot' } });
  const cancel = el('button', { class: 'quiet', text: 'Cancel', attrs: { type: 'button' } });
  cancel.addEventListener('click', () => dialog.close());
  const form = el(
    'form',
    { attrs: { method: 'dialog' } },
    el('h2', { text: 'New plot' }),
    el('div', { class: 'fields' },
      el('label', { attrs: { for: searchId } }, el('span', { text: 'Quantities' }), search),
      el('label', { attrs: { for: xId } }, el('span', { text: 'against' }), x),
      el('label', { class: 'check' }, log, el('span', { text: 'logarithmic' })),
    ),
    list,
    el('footer', {}, chosenNote, cancel, add),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const y = [...chosen];
    const shown = y.length > 3 ? `${y.slice(0, 3).join(', ')}, …` : y.join(', ');
    onAdd({ title: x.value === columns[0]?.name ? shown : `${shown} against ${x.value}`, x: x.value, y, log: log.checked, compare: data.compare !== undefined });
    dialog.close();
  });
  dialog.addEventListener('close', () => {
    chosen.clear();
    search.value = '';
    log.checked = false;
  });
  dialog.append(form);
  const show = dialog.showModal.bind(dialog);
  dialog.showModal = () => {
    fill();
    refresh();
    show();
    search.focus();
  };
  return dialog;
}
