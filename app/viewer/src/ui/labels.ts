/** Names beside what they name, and forces at the tips of their arrows, left out where they would lie on each other. */
import { formatValue } from '../format';
import type { Stage } from '../scene/stage';
import { el } from './dom';

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const overlap = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The first free place for a label of this size around a point: right above, left above, right below, left below. */
export function freePlace(x: number, y: number, width: number, height: number, field: [number, number], taken: Box[]): Box | null {
  const near = 9;
  const candidates: [number, number][] = [near, 2.6 * near].flatMap((gap): [number, number][] => [
    [x + gap, y - gap - height],
    [x - gap - width, y - gap - height],
    [x + gap, y + gap],
    [x - gap - width, y + gap],
  ]);
  for (const [left, top] of candidates) {
    const box = { left, top, right: left + width, bottom: top + height };
    if (left >= 2 && top >= 2 && box.right <= field[0] - 2 && box.bottom <= field[1] - 2 && !taken.some((other) => overlap(box, other))) {
      return box;
    }
  }
  return null;
}

/** Small boxes along a stroke from a to b. */
function along(a: [number, number], b: [number, number]): Box[] {
  const pieces = Math.min(12, Math.max(1, Math.round(Math.hypot(b[0] - a[0], b[1] - a[1]) / 10)));
  return Array.from({ length: pieces + 1 }, (_, i) => {
    const x = a[0] + ((b[0] - a[0]) * i) / pieces;
    const y = a[1] + ((b[1] - a[1]) * i) / pieces;
    return { left: x - 6, top: y - 6, right: x + 6, bottom: y + 6 };
  });
}

export type LabelMode = 'all' | 'bodies' | 'none';

const order = { body: 0, particle: 1, joint: 2, ground: 3, point: 4 } as const;
const most = 40;
/** More arrows than this are not written at. */
const mostForces = 10;

/** A label on the page and the size it takes there. */
class Label {
  readonly node: HTMLElement;
  private size: [number, number] | null = null;

  constructor(kind: string, text: string) {
    this.node = el('span', { class: `label ${kind}`, text });
  }

  setText(text: string): void {
    if (text !== this.node.textContent) {
      this.size = text.length === this.node.textContent?.length ? this.size : null;
      this.node.textContent = text;
    }
  }

  /** Puts it beside (x, y) where there is room; false where there is none. */
  place(x: number, y: number, field: [number, number], taken: Box[]): boolean {
    this.size ??= [this.node.offsetWidth, this.node.offsetHeight];
    const inside = x >= 0 && y >= 0 && x <= field[0] && y <= field[1];
    const box = inside ? freePlace(x, y, ...this.size, field, taken) : null;
    this.node.style.visibility = box ? 'visible' : 'hidden';
    if (box) {
      this.node.style.transform = `translate(${box.left.toFixed(1)}px, ${box.top.toFixed(1)}px)`;
      taken.push(box);
    }
    return box !== null;
  }

  hide(): void {
    this.node.style.visibility = 'hidden';
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
    for (const i of this.ranked) {
      const label = new Label(stage.anchors[i]!.kind, stage.anchors[i]!.name);
      this.names.push(label);
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
    const told = this.placeForces(field, taken);
    this.ranked.forEach((anchor, k) => {
      const { kind, name } = this.stage.anchors[anchor]!;
      const joint = kind === 'joint';
      // A joint whose force is written at its arrow has its name there.
      if (joint && (this.mode !== 'all' || told.has(name))) {
        this.names[k]!.hide();
      } else {
        this.names[k]!.place(this.places[2 * anchor]!, this.places[2 * anchor + 1]!, field, taken);
      }
    });
  }

  /** Writes name and size at the tips of the arrows; answers the names written. */
  private placeForces(field: [number, number], taken: Box[]): Set<string> {
    const told = new Set<string>();
    const drawn = this.forces.map((_, i) => this.stage.projectArrow(i));
    const few = drawn.filter((arrow) => arrow !== null).length <= mostForces;
    // No name lies on an arrow.
    drawn.forEach((arrow) => arrow && taken.push(...along(arrow.from, arrow.tip)));
    this.forces.forEach((label, i) => {
      const tip = few ? drawn[i]?.tip : null;
      if (!tip) {
        label.hide();
        return;
      }
      const arrow = this.stage.arrows[i]!;
      const alone = this.stage.arrows.every((other, k) => k === i || drawn[k] === null || other.spec.owner !== arrow.spec.owner);
      label.setText(`${arrow.spec.owner}${alone ? '' : ` on ${arrow.spec.on}`} ${formatValue(arrow.size, 3)}${this.unit === '' ? '' : ` ${this.unit}`}`);
      if (label.place(tip[0], tip[1], field, taken)) {
        told.add(arrow.spec.owner);
      }
    });
    return told;
  }
}
