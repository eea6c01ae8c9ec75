/** The animation: what a Scene describes, drawn on one canvas at any time of the run. Knows nothing of the page around it. */
import {
  DirectionalLight, Group, HemisphereLight, OrthographicCamera, PerspectiveCamera, Scene as World, Vector3, WebGLRenderer, type BufferGeometry, type Material, type Mesh, type Object3D,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Decoded } from '../data';
import { rowAt } from '../data';
import { niceBelow } from '../format';
import { bodyColour, forceColour, namedColour, torqueColour, type Theme } from '../style/palette';
import type { Scene, SceneJoint } from '../types';
import { Arrow, usualTips } from './arrows';
import { floorHeight, frameAll, measure, samplesOf, viewDirection, type Extent } from './fit';
import { axesObject, gridObject } from './grid';
import { inks, type Ink } from './ink';
import { between, coincide, placeAt, turnAt } from './interpolate';
import { Link, Trail } from './lines';
import { Shadows } from './shadows';
import { ballObject, bodyObject, footObject, pinObject } from './shapes';

export type TrailMode = 'none' | 'recent' | 'whole';

/** Something with a name and a place, for labels and for following. */
export interface Anchor {
  name: string;
  kind: 'body' | 'particle' | 'point' | 'ground' | 'joint';
  /** Of what is drawn there; empty where it has none of its own. */
  colour: string;
}

interface Mover {
  object: Object3D;
  position: Float32Array;
  rotation: Float32Array | null;
}

/** Outlines of more bodies than this are not kept free of names. */
const mostOutlines = 16;

const zUp = new Vector3(0, 0, 1);

export class Stage {
  readonly anchors: Anchor[] = [];
  readonly arrows: Arrow[] = [];
  /** Called when the picture changed for another reason than the time: the camera moved. */
  onView: () => void = () => undefined;
  /** Side of the squares of the grid. */
  readonly gridStep: number;

  private readonly renderer: WebGLRenderer;
  private readonly camera: PerspectiveCamera | OrthographicCamera;
  private readonly controls: OrbitControls;
  private readonly scene: Scene;
  private readonly extent: Extent;
  private readonly up: Vector3;
  private readonly axesCamera = new OrthographicCamera(-1.75, 1.75, 1.75, -1.75, 0.1, 20);
  private world = new World();
  private corner = new World();
  private ink: Ink = inks.light;
  private movers: Mover[] = [];
  private anchorTracks: Float32Array[] = [];
  /** Places on the bodies that have names, in their own axes. */
  private outlines: { anchor: number; object: Object3D; places: Vector3[] }[] = [];
  private pins: Object3D[] = [];
  private pinGroup = new Group();
  private links: { link: Link; from: Float32Array; to: Float32Array }[] = [];
  private trails: Trail[] = [];
  /** Radius of the ball on a track, by its offset. */
  private balls = new Map<number, number>();
  private shadows: Shadows | null = null;
  private time = 0;
  private at = { row: 0, fraction: 0 };
  private width = 1;
  private height = 1;
  private pending = false;
  private following = -1;
  private readonly followed = new Vector3();
  private arrowFactor = 1;
  private readonly unitScale: { force?: number; torque?: number } = {};
  private trailMode: TrailMode = 'whole';
  private jointsVisible = true;

  /** Throws where the browser cannot draw with WebGL. */
  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly data: Decoded,
    theme: Theme,
  ) {
    this.scene = data.report.scene;
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.debug.checkShaderErrors = false; // asking for them waits for the compiler
    this.renderer.autoClear = false;
    this.up = new Vector3(...this.scene.up);
    if (this.up.lengthSq() === 0) {
      this.up.copy(this.scene.planar ? new Vector3(0, 1, 0) : zUp);
    }
    this.up.normalize();
    this.extent = measure(data, this.scene);
    this.gridStep = niceBelow(this.extent.radius / 2.4);
    this.camera = this.scene.planar ? new OrthographicCamera(-1, 1, 1, -1, -1e6, 1e6) : new PerspectiveCamera(32, 1, 0.01, 1000);
    this.camera.up.copy(this.scene.planar ? new Vector3(0, 1, 0) : this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.enableRotate = !this.scene.planar;
    this.controls.zoomToCursor = true;
    if (this.scene.planar) {
      this.controls.mouseButtons.LEFT = 2; // drag moves the drawing
      this.controls.touches.ONE = 1;
    }
    this.controls.addEventListener('change', () => {
      this.invalidate();
      this.onView();
    });
    this.build(theme);
    this.resetView();
  }

  setTheme(theme: Theme): void {
    const visible = this.arrows.map((a) => a.visible);
    this.build(theme);
    this.arrows.forEach((arrow, i) => (arrow.visible = visible[i] ?? arrow.visible));
    this.show(this.time);
  }

  /** Moves everything to its place at time t. */
  show(t: number): void {
    this.time = t;
    this.at = rowAt(this.data.time, t);
    const { row, fraction } = this.at;
    const place = [0, 0, 0];
    const turn = [1, 0, 0, 0];
    for (const mover of this.movers) {
      placeAt(place, mover.position, row, fraction);
      mover.object.position.set(place[0]!, place[1]!, place[2]!);
      if (mover.rotation) {
        turnAt(turn, mover.rotation, row, fraction);
        mover.object.quaternion.set(turn[1]!, turn[2]!, turn[3]!, turn[0]!);
      }
    }
    const a = new Vector3();
    const b = new Vector3();
    for (const { link, from, to } of this.links) {
      placeAt(place, from, row, fraction);
      a.fromArray(place);
      placeAt(place, to, row, fraction);
      b.fromArray(place);
      link.update(a, b);
    }
    for (const arrow of this.arrows) {
      arrow.update(row, fraction, arrow.visible ? this.arrowScale(arrow.spec.what) : 0);
    }
    if (this.trailMode !== 'none') {
      this.trails.forEach((trail) => trail.update(t));
    }
    this.follow();
    this.shadows?.update();
    this.invalidate();
  }

  resize(width: number, height: number, ratio: number): void {
    this.width = Math.max(width, 1);
    this.height = Math.max(height, 1);
    this.renderer.setPixelRatio(Math.min(ratio, 2));
    this.renderer.setSize(this.width, this.height, false);
    this.applyAspect();
    this.invalidate();
  }

  get rows(): number {
    return this.data.time.length;
  }

  /** Lengths in the drawing per unit of force or torque. */
  arrowScale(what: 'force' | 'torque'): number {
    this.unitScale[what] ??= this.scaleFor(what);
    return this.unitScale[what] * this.arrowFactor;
  }

  /** Size of a force or torque now, drawn or not. */
  arrowSize(index: number): number {
    return this.arrows[index]?.measure(this.at.row, this.at.fraction) ?? 0;
  }

  setArrowFactor(factor: number): void {
    this.arrowFactor = factor;
    this.show(this.time);
  }

  setArrowVisible(index: number, visible: boolean): void {
    const arrow = this.arrows[index];
    if (arrow) {
      arrow.visible = visible;
      this.show(this.time);
    }
  }

  setTrails(mode: TrailMode): void {
    this.trailMode = mode;
    this.applyTrails();
    this.show(this.time);
  }

  setJoints(visible: boolean): void {
    this.jointsVisible = visible;
    this.pinGroup.visible = visible;
    this.invalidate();
  }

  /** Index of an anchor to keep in view, -1 for none. */
  setFollow(anchor: number): void {
    this.following = anchor;
    if (anchor >= 0) {
      this.anchorPlace(anchor, this.followed);
      const shift = this.followed.clone().sub(this.controls.target);
      this.controls.target.add(shift);
      this.camera.position.add(shift);
      this.controls.update();
    }
    this.invalidate();
  }

  /** What to follow at first: the heaviest thing where the motion goes far away from where it began, else nothing (-1). */
  suggestedFollow(): number {
    if (this.extent.radius < 3.2 * this.extent.spread) {
      return -1;
    }
    const things = [...this.scene.bodies, ...this.scene.points].filter((thing) => thing.name !== '' && (thing.mass ?? 0) > 0);
    const heaviest = things.reduce<{ name: string; mass?: number } | null>((best, thing) => (best && (best.mass ?? 0) >= (thing.mass ?? 0) ? best : thing), null);
    return heaviest ? this.anchors.findIndex((anchor) => anchor.name === heaviest.name) : -1;
  }

  resetView(): void {
    const { scene, extent } = this;
    const centre = extent.centre.clone();
    if (this.following >= 0) {
      this.anchorPlace(this.following, centre);
    }
    if (this.camera instanceof OrthographicCamera) {
      this.controls.target.set(centre.x, centre.y, 0);
      this.camera.position.set(centre.x, centre.y, 10);
      this.camera.zoom = 1;
    } else if (scene.camera && this.following < 0) {
      this.camera.position.fromArray(scene.camera.from);
      this.controls.target.fromArray(scene.camera.to);
    } else {
      const direction = viewDirection(this.data, scene, extent.centre);
      const origin = this.following >= 0 ? this.anchorTracks[this.following] : undefined;
      const { target, distance } = frameAll(this.data, scene, direction, this.up, this.halfAngles(), origin, usualTips(this.arrows, this.rows, this.arrowScale('force'), origin));
      this.controls.target.copy(origin ? target.add(centre) : target);
      this.camera.position.copy(this.controls.target).addScaledVector(direction, distance);
    }
    if (this.camera instanceof PerspectiveCamera) {
      const d = this.camera.position.distanceTo(this.controls.target);
      this.camera.near = d / 500;
      this.camera.far = d * 20 + 20 * extent.radius;
    }
    this.applyAspect();
    this.controls.update();
    this.invalidate();
    this.onView();
  }

  /** Places of all anchors on the canvas in pixels, x and y in turn; NaN behind the camera. */
  project(out: Float32Array): void {
    const p = new Vector3();
    this.camera.updateMatrixWorld();
    for (let i = 0; i < this.anchors.length; ++i) {
      this.anchorPlace(i, p).project(this.camera);
      out.set(p.z > -1 && p.z < 1 ? this.pixels(p) : [NaN, NaN], 2 * i);
    }
  }

  /** Where the bodies lie on the canvas, by their anchors; none where there are too many to tell apart. */
  projectOutlines(): { anchor: number; places: [number, number][] }[] {
    if (this.outlines.length > mostOutlines) {
      return [];
    }
    const p = new Vector3();
    return this.outlines.map(({ anchor, object, places }) => ({
      anchor,
      places: places.map((place) => this.pixels(p.copy(place).applyQuaternion(object.quaternion).add(object.position).project(this.camera))),
    }));
  }

  /** Both ends of an arrow on the canvas, or null where it is not drawn. */
  projectArrow(index: number): { from: [number, number]; tip: [number, number] } | null {
    const arrow = this.arrows[index];
    if (!arrow?.object.visible) {
      return null;
    }
    const seen = (place: Vector3): [number, number] => this.pixels(place.clone().project(this.camera));
    return { from: seen(arrow.object.position), tip: seen(arrow.tip) };
  }

  /** Draws now; otherwise the next frame does. */
  render(): void {
    this.pending = false;
    this.pins.forEach((pin) => pin.quaternion.copy(this.camera.quaternion));
    this.renderer.setViewport(0, 0, this.width, this.height);
    this.renderer.clear();
    this.renderer.render(this.world, this.camera);
    // The cross of the axes turns with the view in the lower left corner.
    const size = Math.min(84, 0.22 * this.width);
    this.axesCamera.position.set(0, 0, 5).applyQuaternion(this.camera.quaternion);
    this.axesCamera.quaternion.copy(this.camera.quaternion);
    this.renderer.setViewport(6, 6, size, size);
    this.renderer.clearDepth();
    this.renderer.render(this.corner, this.axesCamera);
  }

  /** Gives up fine pixels where frames come too slowly. */
  simplify(): void {
    if (this.renderer.getPixelRatio() > 1) {
      this.renderer.setPixelRatio(1);
      this.renderer.setSize(this.width, this.height, false);
      this.invalidate();
    }
  }

  dispose(): void {
    this.controls.dispose();
    this.clearWorld();
    this.renderer.dispose();
  }

  invalidate(): void {
    if (!this.pending) {
      this.pending = true;
      requestAnimationFrame(() => {
        if (this.pending) {
          this.render();
        }
      });
    }
  }

  private build(theme: Theme): void {
    this.clearWorld();
    this.ink = inks[theme];
    this.renderer.setClearColor(this.ink.paper);
    this.world = new World();
    this.corner = new World();
    this.movers = [];
    this.anchorTracks = [];
    this.anchors.length = 0;
    this.arrows.length = 0;
    this.pins = [];
    this.outlines = [];
    this.links = [];
    this.trails = [];
    this.shadows = null;
    this.pinGroup = new Group();
    this.pinGroup.visible = this.jointsVisible;
    this.world.add(this.pinGroup);
    this.addSurroundings(theme);
    this.addBodies();
    this.addPoints();
    this.addLinks();
    this.addJoints();
    this.addArrows();
    this.applyTrails();
    this.corner.add(axesObject(this.ink, this.scene.planar));
  }

  private addSurroundings(theme: Theme): void {
    const { extent, scene, up } = this;
    if (scene.planar) {
      this.world.add(gridObject(extent.centre.clone().setZ(0), new Vector3(1, 0, 0), new Vector3(0, 1, 0), 4 * extent.radius, this.gridStep, this.ink, true));
      return;
    }
    const height = floorHeight(extent, scene.length);
    const u = Math.abs(up.x) > 0.8 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    u.addScaledVector(up, -u.dot(up)).normalize();
    const v = new Vector3().crossVectors(up, u);
    const centre = extent.centre.clone().addScaledVector(up, height - extent.centre.dot(up));
    this.world.add(gridObject(centre, u, v, 3.2 * extent.radius, this.gridStep, this.ink, false));
    this.shadows = new Shadows(up, height, this.ink);
    const sky = new HemisphereLight(0xffffff, theme === 'light' ? 0xa9b0b8 : 0x464c54, 1.9);
    sky.position.copy(up);
    const sun = new DirectionalLight(0xffffff, 1.7);
    sun.position.copy(up).multiplyScalar(1.2).addScaledVector(u, 0.9).addScaledVector(v, -0.6);
    this.world.add(this.shadows.object, sky, sun);
  }

  private mover(object: Object3D, position: Float32Array, rotation: Float32Array | null): void {
    this.world.add(object);
    this.movers.push({ object, position, rotation });
    this.shadows?.add(object);
  }

  private addTrail(track: Float32Array, colour: string): void {
    const time = this.data.time;
    const duration = (time[time.length - 1] ?? 0) - (time[0] ?? 0);
    const trail = new Trail(time, track, colour, this.ink.paper, duration * 0.12);
    this.trails.push(trail);
    this.world.add(trail.whole, trail.recent);
  }

  private addBodies(): void {
    const { scene, data } = this;
    scene.bodies.forEach((body, i) => {
      const colour = namedColour(body.color, bodyColour(i));
      const position = data.track(body.position);
      const object = bodyObject(body.shapes, colour, scene.planar, 0.012 * scene.length, this.ink);
      this.mover(object, position, body.rotation ? data.track(body.rotation) : null);
      if (body.name !== '') {
        this.outlines.push({ anchor: this.anchors.length, object, places: body.shapes.flatMap(samplesOf) });
      }
      this.anchor(body.name, 'body', position, colour);
      if (body.trail) {
        this.addTrail(position, colour);
      }
    });
  }

  private addPoints(): void {
    const { scene, data } = this;
    const masses = scene.points.map((p) => p.mass ?? 0).filter((m) => m > 0);
    const mean = masses.reduce((sum, m) => sum + m, 0) / Math.max(masses.length, 1);
    let particles = scene.bodies.length;
    for (const point of scene.points) {
      const position = data.track(point.track);
      let named = '';
      if (point.kind === 'ground') {
        this.mover(footObject(0.075 * scene.length, this.up, scene.planar, this.ink), position, null);
      } else {
        const particle = point.kind === 'particle';
        const colour = namedColour(point.color, particle ? bodyColour(particles++) : this.ink.line);
        const relative = particle && point.mass ? Math.min(Math.max(Math.cbrt(point.mass / mean), 0.6), 1.6) : 1;
        const radius = point.size ?? (particle ? 0.042 : 0.016) * scene.length * relative;
        if (radius > 0) {
          this.mover(ballObject(radius, colour, scene.planar, this.ink), position, null);
          this.balls.set(point.track.offset, radius);
          named = particle ? colour : '';
        }
        if (point.trail) {
          this.addTrail(position, colour);
        }
      }
      this.anchor(point.name, point.kind, position, named);
    }
  }

  private addLinks(): void {
    const { scene, data } = this;
    for (const spec of scene.links) {
      const from = scene.points[spec.from];
      const to = scene.points[spec.to];
      if (from && to) {
        const link = new Link(spec.kind, namedColour(spec.color, this.ink.soft), 0.045 * scene.length, scene.planar);
        this.links.push({ link, from: data.track(from.track), to: data.track(to.track) });
        this.world.add(link.object);
      }
    }
  }

  private addJoints(): void {
    const { scene, data } = this;
    for (const joint of scene.joints) {
      joint.places.forEach((place, i) => {
        const track = data.track(place.track);
        const onGround = place.body < 0;
        if (onGround) {
          const foot = footObject(0.075 * scene.length, this.up, scene.planar, this.ink);
          this.pinGroup.add(foot);
          this.movers.push({ object: foot, position: track, rotation: null });
        }
        // Both places of a joint usually coincide: one pin is enough.
        if (i === 0 || !this.coincide(track, data.track(joint.places[0]!.track))) {
          const pin = pinObject(0.022 * scene.length, this.ink);
          this.pinGroup.add(pin);
          this.pins.push(pin);
          this.movers.push({ object: pin, position: track, rotation: null });
        }
      });
      const first = joint.places[0];
      if (first) {
        const track = data.track(first.track);
        const end = /^(spring|damper)/.test(joint.definition) ? this.otherEnd(joint, track) : null;
        this.anchor(joint.name, 'joint', end ? between(track, end) : track);
      }
    }
  }

  /** Where a spring that begins at `track` ends: at the second place of its joint, or with the line that is drawn for it. */
  private otherEnd(joint: SceneJoint, track: Float32Array): Float32Array | null {
    const second = joint.places[1];
    if (second) {
      return this.data.track(second.track);
    }
    const drawn = this.links.find(({ link, from, to }) => link.kind === 'spring' && (this.coincide(from, track) || this.coincide(to, track)));
    return drawn ? (this.coincide(drawn.from, track) ? drawn.to : drawn.from) : null;
  }

  private coincide(a: Float32Array, b: Float32Array): boolean {
    return coincide(a, b, 0.01 * this.scene.length);
  }

  private addArrows(): void {
    for (const spec of this.scene.arrows) {
      const ball = this.balls.get(spec.at.offset) ?? 0;
      const arrow = new Arrow(this.data, spec, spec.what === 'force' ? forceColour : torqueColour, 0.011 * this.scene.length, spec.what === 'force' ? ball : 0);
      this.arrows.push(arrow);
      this.world.add(arrow.object);
    }
  }

  /** Lengths per unit, so that the longest arrows, but for short peaks, are about as long as half of the drawing. */
  private scaleFor(what: 'force' | 'torque'): number {
    const largest = Math.max(0, ...this.arrows.filter((a) => a.spec.what === what).map((a) => a.usualLargest()));
    return largest > 0 ? ((what === 'force' ? 0.5 : 0.22) * this.scene.length) / largest : 1;
  }

  private anchor(name: string, kind: Anchor['kind'], track: Float32Array, colour = ''): void {
    if (name !== '') {
      this.anchors.push({ name, kind, colour });
      this.anchorTracks.push(track);
    }
  }

  /** On the canvas, of a place as the camera projects it. */
  private pixels(p: Vector3): [number, number] {
    return [((p.x + 1) / 2) * this.width, ((1 - p.y) / 2) * this.height];
  }

  private anchorPlace(index: number, out: Vector3): Vector3 {
    const place = [0, 0, 0];
    const track = this.anchorTracks[index];
    if (track) {
      placeAt(place, track, this.at.row, this.at.fraction);
    }
    return out.fromArray(place);
  }

  private follow(): void {
    if (this.following < 0) {
      return;
    }
    const before = this.followed.clone();
    this.anchorPlace(this.following, this.followed);
    const shift = this.followed.clone().sub(before);
    this.controls.target.add(shift);
    this.camera.position.add(shift);
    this.camera.updateMatrixWorld();
  }

  private applyTrails(): void {
    for (const trail of this.trails) {
      trail.whole.visible = this.trailMode === 'whole';
      trail.recent.visible = this.trailMode !== 'none';
    }
  }

  /** Tangents of half the angles of view, across and upwards. */
  private halfAngles(): [number, number] {
    const vertical = Math.tan(((this.camera as PerspectiveCamera).fov * Math.PI) / 360);
    return [(vertical * this.width) / this.height, vertical];
  }

  private applyAspect(): void {
    const aspect = this.width / this.height;
    if (this.camera instanceof OrthographicCamera) {
      const margin = 0.12 * this.scene.length;
      const { centre } = this.extent;
      let w = (this.extent.high.x - this.extent.low.x) / 2 + margin;
      let h = (this.extent.high.y - this.extent.low.y) / 2 + margin;
      for (const tip of usualTips(this.arrows, this.rows, this.arrowScale('force'))) {
        w = Math.max(w, Math.abs(tip.x - centre.x) + margin);
        h = Math.max(h, Math.abs(tip.y - centre.y) + margin);
      }
      if (this.following >= 0) {
        w = h = Math.max(1.05 * this.extent.spread, 0.5 * this.scene.length);
      }
      h = Math.max(h, w / aspect);
      w = h * aspect;
      Object.assign(this.camera, { left: -w, right: w, top: h, bottom: -h });
    } else {
      this.camera.aspect = aspect;
    }
    this.camera.updateProjectionMatrix();
  }

  private clearWorld(): void {
    for (const world of [this.world, this.corner]) {
      world.traverse((object) => {
        const mesh = object as Mesh;
        (mesh.geometry as BufferGeometry | undefined)?.dispose();
        const material = mesh.material as Material | Material[] | undefined;
        (Array.isArray(material) ? material : material ? [material] : []).forEach((m) => m.dispose());
      });
    }
  }
}
