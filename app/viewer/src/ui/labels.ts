/** Names beside what they name, in its colour, and forces at the tips of their arrows, left out where they would lie on each other. */
import { formatValue } from '../format';
import type { Stage } from '../scene/stage';
import type { SceneArrow } from '../types';
import { el } from './dom';
import { along, choosePlace, lastInside, nearestOf, type Box, type Place, type Spot } from './placing';

export type LabelMode = 'all' | 'bodies' | 'none';

const order = { body: 0, particle: 1, joint: 2, ground: 3, point: 4 } as const;
const most = 40;
/** More arrows than this are not written at. */
const mostForces = 10;

/** What an arrow is: of which constraint, and on which body where it acts on several. */
export function arrowName(arrow: SceneArrow, all: readonly SceneArrow[]): string {
  const several = all.some((other) => other.owner === arrow.owner && other.what === arrow.what && other.on !== arrow.on);
  return several ? `${arrow.owner} on ${arrow.on}` : arrow.owner;
}

/** A label on the page and the size it takes there, with a line to what it names. */
class Label {
  readonly node: HTMLElement;
  readonly line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
  private size: [number, number] | null = null;
  private spot: Spot | null = null;

  constructor(kind: string, text: string, colour = '') {
    this.node = el('span', { class: `label ${kind}`, text });
    if (colour !== '') {
      this.node.style.setProperty('--thing', colour);
      this.line.style.setProperty('--thing', colour);
    }
  }

  setText(text: string): void {
    if (text !== this.node.textContent) {
      this.size = text.length === this.node.textContent?.length ? this.size : null;
      this.node.textContent = text;
    }
  }

  /** Puts it beside a place where there is room; false where there is none. */
  place(at: Place, field: [number, number], taken: Box[], own?: readonly Place[], others?: readonly Place[]): boolean {
    this.size ??= [this.node.offsetWidth, this.node.offsetHeight];
    const inside = at[0] >= 0 && at[1] >= 0 && at[0] <= field[0] && at[1] <= field[1];
    this.spot = inside ? choosePlace(at, this.size, field, taken, own, others, this.spot?.candidate) : null;
    if (!this.spot) {
      this.hide();
      return false;
    }
    const { box, leader } = this.spot;
    this.node.style.visibility = 'visible';
    this.node.style.transform = `translate(${box.left.toFixed(1)}px, ${box.top.toFixed(1)}px)`;
    this.line.style.visibility = leader ? 'visible' : 'hidden';
    if (leader) {
      const end = nearestOf(box, at);
      [at[0], at[1], end[0], end[1]].forEach((value, k) => this.line.setAttribute(['x1', 'y1', 'x2', 'y2'][k]!, value.toFixed(1)));
      taken.push(...along(at, end).map(({ left, top, right, bottom }) => ({ left: left + 5, top: top + 5, right: right - 5, bottom: bottom - 5 })));
    }
    taken.push(box);
    return true;
  }

  hide(): void {
    this.node.style.visibility = 'hidden';
    this.line.style.visibility = 'hidden';
  }
}

export class Labels {
  readonly element = el('div', { class: 'labels', attrs: { 'aria-hidden': 'true' } });
  private readonly names: Label[] = [];
  private readonly forces: Label[] = [];
  private readonly ranked: number[];
  private readonly places: Float32Array;
  private mode: LabelMode = 'all';

  constructor(
    private readonly stage: Stage,
    private readonly unit: string,
  ) {
    this.ranked = stage.anchors.map((_, i) => i).sort((a, b) => order[stage.anchors[a]!.kind] - order[stage.anchors[b]!.kind]).slice(0, most);
    this.places = new Float32Array(2 * stage.anchors.length);
    const leaders = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    leaders.setAttribute('class', 'leaders');
    this.element.append(leaders);
    for (const i of this.ranked) {
      const { kind, name, colour } = stage.anchors[i]!;
      const label = new Label(kind, name, colour);
      this.names.push(label);
      leaders.append(label.line);
      this.element.append(label.node);
    }
    stage.arrows.forEach(() => this.forces.push(new Label('force num', '')));
    this.element.append(...this.forces.map((label) => label.node));
  }

  setMode(mode: LabelMode): void {
    this.mode = mode;
    this.element.hidden = mode === 'none';
    this.update();
  }

  update(): void {
    if (this.mode === 'none' || !this.element.isConnected) {
      return;
    }
    const field: [number, number] = [this.element.clientWidth, this.element.clientHeight];
    this.stage.project(this.places);
    // Reset button, note on the grid, cross of the axes.
    const taken: Box[] = [
      { left: field[0] - 132, top: 0, right: field[0], bottom: 46 },
      { left: field[0] - 110, top: field[1] - 34, right: field[0], bottom: field[1] },
      { left: 0, top: field[1] - 94, right: 94, bottom: field[1] },
    ];
    const outlines = this.stage.projectOutlines();
    const told = this.placeForces(field, taken, outlines.flatMap((outline) => outline.places));
    this.ranked.forEach((anchor, k) => {
      const { kind, name } = this.stage.anchors[anchor]!;
      const joint = kind === 'joint';
      // A joint whose force is written at its arrow has its name there.
      if (joint && (this.mode !== 'all' || told.has(name))) {
        this.names[k]!.hide();
      } else {
        const at: Place = [this.places[2 * anchor]!, this.places[2 * anchor + 1]!];
        const others = outlines.filter((outline) => outline.anchor !== anchor).flatMap((outline) => outline.places);
        this.names[k]!.place(at, field, taken, [at, ...(outlines.find((outline) => outline.anchor === anchor)?.places ?? [])], others);
      }
    });
  }

  /** Writes name and size at the tips of the arrows; answers the names written. */
  private placeForces(field: [number, number], taken: Box[], bodies: readonly Place[]): Set<string> {
    const told = new Set<string>();
    const drawn = this.forces.map((_, i) => this.stage.projectArrow(i));
    const few = drawn.filter((arrow) => arrow !== null).length <= mostForces;
    const specs = this.stage.arrows.map((arrow) => arrow.spec);
    // No name lies on an arrow.
    drawn.forEach((arrow) => arrow && taken.push(...along(arrow.from, arrow.tip)));
    this.forces.forEach((label, i) => {
      const ends = few ? drawn[i] : null;
      const tip = ends ? lastInside(ends.from, ends.tip, field) : null;
      if (!tip) {
        label.hide();
        return;
      }
      const arrow = this.stage.arrows[i]!;
      const name = arrowName(arrow.spec, specs);
      label.setText(`${name} ${formatValue(arrow.size, 3)}${this.unit === '' ? '' : ` ${this.unit}`}`);
      if (label.place(tip, field, taken, [tip], bodies)) {
        told.add(arrow.spec.owner);
      }
    });
    return told;
  }
}
