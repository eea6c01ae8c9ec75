/** Names beside what they name, left out where they would lie on each other. */
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
  const gap = 9;
  const candidates: [number, number][] = [
    [x + gap, y - gap - height],
    [x - gap - width, y - gap - height],
    [x + gap, y + gap],
    [x - gap - width, y + gap],
  ];
  for (const [left, top] of candidates) {
    const box = { left, top, right: left + width, bottom: top + height };
    if (left >= 2 && top >= 2 && box.right <= field[0] - 2 && box.bottom <= field[1] - 2 && !taken.some((other) => overlap(box, other))) {
      return box;
    }
  }
  return null;
}

export type LabelMode = 'all' | 'bodies' | 'none';

const order = { body: 0, particle: 1, point: 2, ground: 3, joint: 4 } as const;
const most = 40;

export class Labels {
  readonly element = el('div', { class: 'labels', attrs: { 'aria-hidden': 'true' } });
  private readonly nodes: HTMLElement[] = [];
  private readonly sizes: [number, number][] = [];
  private readonly ranked: number[];
  private readonly places: Float32Array;
  private mode: LabelMode = 'all';

  constructor(private readonly stage: Stage) {
    this.ranked = stage.anchors.map((_, i) => i).sort((a, b) => order[stage.anchors[a]!.kind] - order[stage.anchors[b]!.kind]).slice(0, most);
    this.places = new Float32Array(2 * stage.anchors.length);
    for (const i of this.ranked) {
      const node = el('span', { class: `label ${stage.anchors[i]!.kind}`, text: stage.anchors[i]!.name });
      this.nodes.push(node);
      this.element.append(node);
    }
  }

  setMode(mode: LabelMode): void {
    this.mode = mode;
    this.element.hidden = mode === 'none';
    this.update();
  }

  update(): void {
    if (this.mode === 'none' || this.nodes.length === 0 || !this.element.isConnected) {
      return;
    }
    if (this.sizes.length === 0) {
      this.nodes.forEach((node) => this.sizes.push([node.offsetWidth, node.offsetHeight]));
    }
    const field: [number, number] = [this.element.clientWidth, this.element.clientHeight];
    this.stage.project(this.places);
    // Reset button, note on the grid, cross of the axes.
    const taken: Box[] = [
      { left: field[0] - 132, top: 0, right: field[0], bottom: 46 },
      { left: field[0] - 110, top: field[1] - 34, right: field[0], bottom: field[1] },
      { left: 0, top: field[1] - 94, right: 94, bottom: field[1] },
    ];
    this.ranked.forEach((anchor, k) => {
      const node = this.nodes[k]!;
      const x = this.places[2 * anchor]!;
      const y = this.places[2 * anchor + 1]!;
      const [width, height] = this.sizes[k]!;
      const wanted = this.mode === 'all' || this.stage.anchors[anchor]!.kind !== 'joint';
      const inside = wanted && x >= 0 && y >= 0 && x <= field[0] && y <= field[1];
      const box = inside ? freePlace(x, y, width, height, field, taken) : null;
      node.style.visibility = box ? 'visible' : 'hidden';
      if (box) {
        node.style.transform = `translate(${box.left.toFixed(1)}px, ${box.top.toFixed(1)}px)`;
        taken.push(box);
      }
    });
  }
}
