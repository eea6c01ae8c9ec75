/** The animation with its controls. Where the browser has no WebGL a note takes the place of the picture. */
import type { Clock } from '../clock';
import type { Decoded } from '../data';
import { formatValue } from '../format';
import { Stage, type TrailMode } from '../scene/stage';
import type { Theme } from '../style/palette';
import { el, freshId, icon, icons } from './dom';
import { ForcesPanel } from './forces';
import { Labels, type LabelMode } from './labels';
import { transport } from './transport';

export class MotionView {
  readonly element: HTMLElement;
  private stage: Stage | null = null;
  private labels: Labels | null = null;
  private forces: ForcesPanel | null = null;
  private readonly frame = el('div', { class: 'stage' });
  private readonly canvas = el('canvas', { attrs: { role: 'img', tabindex: '0' } });

  private readonly panel = el('div', { class: 'panel' });

  constructor(
    private readonly data: Decoded,
    private readonly clock: Clock,
  ) {
    this.element = el('section', { class: 'motion', attrs: { id: 'motion', 'aria-label': 'Animation' } }, this.frame, transport(clock, data.report.events), this.panel);
    if (this.vacant) {
      this.frame.classList.add('vacant');
      this.frame.append(el('p', { class: 'stage-note', text: 'This model has no bodies, particles or points to draw. Its quantities are in the figures.' }));
    }
    clock.onTime((t) => this.show(t));
  }

  /** The animation; null before start() and without WebGL. */
  get scene(): Stage | null {
    return this.stage;
  }

  get vacant(): boolean {
    const { scene } = this.data.report;
    return scene.bodies.length + scene.points.length === 0;
  }

  /** Makes the picture. Apart from the page, because a browser may need a moment to start WebGL. */
  start(theme: Theme): void {
    const { report } = this.data;
    const { scene } = report;
    if (this.vacant) {
      return;
    }
    this.canvas.setAttribute('aria-label', `Animation of ${report.title || report.file}: ${[...scene.bodies, ...scene.points].slice(0, 12).map((b) => b.name).join(', ')}`);
    this.frame.append(this.canvas);
    try {
      this.stage = new Stage(this.canvas, this.data, theme);
    } catch {
      this.canvas.remove();
      this.frame.classList.add('vacant');
      this.frame.append(el('p', { class: 'stage-note', text: 'The animation needs WebGL, which this browser does not offer or has switched off. Figures, equations and tables work without it.' }));
      return;
    }
    this.furnish(this.stage, this.panel, scene.planar);
    this.fit();
    this.show(this.clock.t);
    requestAnimationFrame(() => performance.mark('ananke-drawn'));
    this.watchPace(this.stage);
  }

  setTheme(theme: Theme): void {
    this.stage?.setTheme(theme);
  }

  resize(): void {
    if (this.stage) {
      this.stage.resize(this.frame.clientWidth, this.frame.clientHeight, devicePixelRatio || 1);
      this.labels?.update();
    }
  }

  /** The first picture for this size: the camera is set for it. */
  private fit(): void {
    this.resize();
    this.stage?.resetView();
    this.labels?.update();
  }

  /** Draws at once, for printing. */
  draw(): void {
    this.stage?.render();
  }

  /** Where frames come too slowly while the motion plays, the picture becomes coarser. */
  private watchPace(stage: Stage): void {
    let last = NaN;
    let slow = 0;
    this.clock.onState(() => (last = NaN));
    this.clock.onTime(() => {
      if (!this.clock.playing) {
        return;
      }
      const now = performance.now();
      slow = now - last > 55 ? slow + 1 : Math.max(0, slow - 1);
      last = now;
      if (slow > 12) {
        stage.simplify();
        slow = 0;
      }
    });
  }

  private show(t: number): void {
    if (this.stage) {
      this.stage.show(t);
      this.forces?.update();
      this.labels?.update();
    }
  }

  private furnish(stage: Stage, panel: HTMLElement, planar: boolean): void {
    const { columns, scene } = this.data.report;
    const shown = scene.arrows.find((arrow) => arrow.what === 'force')?.columns.find((c) => c >= 0) ?? -1;
    const unit = columns[shown]?.unit ?? '';
    const labels = new Labels(stage, unit);
    this.labels = labels;
    stage.onView = () => labels.update();
    const reset = el('button', { class: 'quiet overlay', title: 'Show everything again', attrs: { type: 'button' } }, icon(icons.reset), el('span', { text: 'Reset view' }));
    reset.addEventListener('click', () => stage.resetView());
    const hint = planar ? 'drag to move, wheel to zoom' : 'drag to turn, wheel to zoom, right drag to move';
    const gridNote = el('span', { class: 'grid-note num', text: `grid ${formatValue(stage.gridStep)}`, title: `Squares of side ${formatValue(stage.gridStep)}; ${hint}` });
    this.frame.append(labels.element, reset, gridNote);
    const followId = freshId();
    const follow = el('select', { attrs: { id: followId } }, el('option', { text: 'nothing', attrs: { value: '-1' } }));
    stage.anchors.forEach((anchor, i) => {
      if (anchor.kind === 'body' || anchor.kind === 'particle' || anchor.kind === 'point') {
        follow.append(el('option', { text: anchor.name, attrs: { value: String(i) } }));
      }
    });
    follow.addEventListener('change', () => {
      stage.setFollow(Number(follow.value));
      stage.resetView();
    });
    follow.value = String(stage.suggestedFollow());
    stage.setFollow(Number(follow.value));
    const trailsId = freshId();
    const trails = el('select', { attrs: { id: trailsId } });
    for (const [value, text] of [['whole', 'whole path'], ['recent', 'recent'], ['none', 'none']] as const) {
      trails.append(el('option', { text, attrs: { value } }));
    }
    trails.addEventListener('change', () => stage.setTrails(trails.value as TrailMode));
    const namesId = freshId();
    const names = el('select', { attrs: { id: namesId } });
    for (const value of ['all', 'bodies', 'none'] as const) {
      names.append(el('option', { text: value, attrs: { value } }));
    }
    names.value = stage.anchors.length <= 12 && follow.value === '-1' ? 'all' : 'bodies';
    labels.setMode(names.value as LabelMode);
    names.addEventListener('change', () => labels.setMode(names.value as LabelMode));
    this.forces = new ForcesPanel(stage, unit);
    panel.append(
      el('div', { class: 'view-options' },
        el('label', { attrs: { for: followId } }, el('span', { text: 'Follow' }), follow),
        el('label', { attrs: { for: trailsId } }, el('span', { text: 'Trails' }), trails),
        el('label', { attrs: { for: namesId } }, el('span', { text: 'Names' }), names),
        stage.anchors.some((a) => a.kind === 'joint') ? checkbox('Joints', true, (v) => stage.setJoints(v)) : null,
      ),
      this.forces.element,
    );
  }
}

function checkbox(text: string, value: boolean, set: (value: boolean) => void): HTMLElement {
  const box = el('input', { attrs: { type: 'checkbox' } });
  box.checked = value;
  box.addEventListener('change', () => set(box.checked));
  return el('label', { class: 'check' }, box, el('span', { text }));
}
