/** Which forces of constraint are drawn: one switch for each constraint, its size now, and the length of the arrows. */
import { Vector3 } from 'three';
import type { Stage } from '../scene/stage';
import { formatLive, formatValue } from '../format';
import { withUnit } from '../plots/curves';
import type { SceneArrow } from '../types';
import { el, freshId } from './dom';

export interface Owner {
  name: string;
  /** Indices of arrows. */
  forces: number[];
  torques: number[];
  /** The last body named that is not the ground: of a force and its reaction this side is drawn, unless both are wanted. */
  side: string;
  unique: boolean;
  notes: string[];
}

export function ownersOf(arrows: readonly SceneArrow[]): Owner[] {
  const owners = new Map<string, Owner>();
  arrows.forEach((arrow, i) => {
    let owner = owners.get(arrow.owner);
    if (!owner) {
      owner = { name: arrow.owner, forces: [], torques: [], side: arrow.on, unique: true, notes: [] };
      owners.set(arrow.owner, owner);
    }
    (arrow.what === 'force' ? owner.forces : owner.torques).push(i);
    owner.unique &&= arrow.unique;
    if (arrow.on !== 'ground') {
      owner.side = arrow.on;
    }
    if (arrow.note && !owner.notes.includes(arrow.note)) {
      owner.notes.push(arrow.note);
    }
  });
  return [...owners.values()];
}

/** More constraints than this are not all drawn at first. */
const mostAtFirst = 12;
/** Numbers beside one constraint. */
const mostValues = 3;

export class ForcesPanel {
  readonly element: HTMLElement;
  private readonly owners: Owner[];
  private readonly on: boolean[];
  private readonly values: HTMLElement[] = [];
  private readonly chosen = new Map<number[], number[]>();
  private torques = false;
  private bothSides = false;
  private readonly scaleNote = el('p', { class: 'note num' });

  constructor(
    private readonly stage: Stage,
    private readonly unit: string,
  ) {
    this.owners = ownersOf(stage.arrows.map((a) => a.spec));
    this.on = this.owners.map((_, i) => i < mostAtFirst);
    stage.arrows.forEach((arrow) => (arrow.visible = false));
    this.torques = this.owners.length > 0 && this.owners.every((o) => o.forces.length === 0);
    this.element = el('section', { class: 'forces', attrs: { 'aria-label': 'Forces of constraint' } });
    if (this.owners.length > 0) {
      this.build();
      this.apply();
    } else {
      this.element.hidden = true;
    }
  }

  update(): void {
    this.owners.forEach((owner, i) => {
      const forces = this.drawn(owner, owner.forces);
      const torques = this.torques || forces.length === 0 ? this.drawn(owner, owner.torques) : [];
      const size = (a: number): string => formatLive(this.stage.arrowSize(a));
      this.values[i]!.textContent = [...forces.slice(0, mostValues).map(size), ...torques.slice(0, mostValues).map((a) => `↻ ${size(a)}`)].join('  ');
    });
  }

  /** Arrows of a list without reactions: those on the ground, and those that are opposite to one that is drawn. */
  private drawn(owner: Owner, list: number[]): number[] {
    let chosen = this.chosen.get(list);
    if (!chosen) {
      const on = (i: number): string => this.stage.arrows[i]!.spec.on;
      const ranked = [...list.filter((i) => on(i) === owner.side), ...list.filter((i) => on(i) !== owner.side && on(i) !== 'ground')];
      chosen = [];
      for (const i of ranked.length > 0 ? ranked : list.slice(0, 1)) {
        if (!chosen.some((j) => this.opposite(i, j))) {
          chosen.push(i);
        }
      }
      chosen.sort((a, b) => a - b);
      this.chosen.set(list, chosen);
    }
    return chosen;
  }

  private opposite(i: number, j: number): boolean {
    const a = new Vector3();
    const b = new Vector3();
    const rows = this.stage.rows;
    return [0.1, 0.35, 0.6, 0.85].every((part) => {
      const row = Math.floor(part * (rows - 1));
      this.stage.arrows[i]!.vector(row, 0, a);
      this.stage.arrows[j]!.vector(row, 0, b);
      const size = a.length() + b.length();
      return a.add(b).length() <= 1e-3 * size;
    });
  }

  private build(): void {
    const list = el('ul', { class: 'force-list' });
    const boxes: HTMLInputElement[] = [];
    this.owners.forEach((owner, i) => {
      const box = el('input', { attrs: { type: 'checkbox' } });
      box.checked = this.on[i]!;
      box.addEventListener('change', () => {
        this.on[i] = box.checked;
        this.apply();
        all.checked = this.on.every((v) => v);
      });
      boxes.push(box);
      const value = el('span', { class: 'value num' });
      this.values.push(value);
      const label = el('label', { class: 'check' }, box, el('span', { class: 'name', text: owner.name }), el('span', { class: 'side', text: `on ${this.sides(owner)}` }));
      if (!owner.unique) {
        label.append(el('span', { class: 'many', text: 'one of many', title: owner.notes.join(' ') || 'The constraints are dependent: other forces give the same motion' }));
      }
      list.append(el('li', {}, label, value));
    });
    const all = el('input', { attrs: { type: 'checkbox' } });
    all.checked = this.on.every((v) => v);
    all.addEventListener('change', () => {
      this.on.fill(all.checked);
      boxes.forEach((box) => (box.checked = all.checked));
      this.apply();
    });
    const sliderId = freshId();
    const slider = el('input', { attrs: { type: 'range', min: '-100', max: '100', value: '0', step: '1', id: sliderId } });
    slider.addEventListener('input', () => {
      this.stage.setArrowFactor(10 ** (Number(slider.value) / 100));
      this.noteScale();
    });
    this.element.append(
      el('header', {}, el('h3', { text: withUnit('Forces of constraint', this.unit) }), this.owners.length > 1 ? el('label', { class: 'check' }, all, el('span', { text: 'all' })) : null),
      list,
      el('div', { class: 'force-options' },
        el('label', { class: 'slider', attrs: { for: sliderId } }, el('span', { text: 'Arrow length' }), slider),
        this.owners.some((o) => o.torques.length > 0 && o.forces.length > 0) ? this.option('torques', this.torques, (v) => (this.torques = v)) : null,
        this.owners.some((o) => o.forces.length > this.drawn(o, o.forces).length) ? this.option('on both bodies', this.bothSides, (v) => (this.bothSides = v)) : null,
      ),
      this.scaleNote,
    );
    this.noteScale();
  }

  private sides(owner: Owner): string {
    const list = this.drawn(owner, owner.forces.length > 0 ? owner.forces : owner.torques).map((i) => this.stage.arrows[i]!.spec.on);
    return list.length > 3 ? `${list.slice(0, 3).join(', ')}, …` : list.join(', ');
  }

  private option(text: string, value: boolean, set: (value: boolean) => void): HTMLElement {
    const box = el('input', { attrs: { type: 'checkbox' } });
    box.checked = value;
    box.addEventListener('change', () => {
      set(box.checked);
      this.apply();
    });
    return el('label', { class: 'check' }, box, el('span', { text }));
  }

  private noteScale(): void {
    const scale = this.stage.arrowScale('force');
    this.scaleNote.textContent = `An arrow as long as a square of the grid (${formatValue(this.stage.gridStep)}) is a force of ${formatValue(this.stage.gridStep / scale, 3)}${this.unit === '' ? '' : ` ${this.unit}`}.`;
  }

  private apply(): void {
    this.owners.forEach((owner, i) => {
      for (const [arrows, wanted] of [[owner.forces, true], [owner.torques, this.torques]] as const) {
        const drawn = new Set(this.bothSides ? arrows : this.drawn(owner, arrows));
        arrows.forEach((a) => this.stage.setArrowVisible(a, this.on[i]! && wanted && drawn.has(a)));
      }
    });
    this.update();
  }
}
