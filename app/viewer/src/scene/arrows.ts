/** Arrows of forces and torques of constraint. A torque is an arc about its direction, seen also in the plane. */
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, TorusGeometry, Vector3, type Object3D } from 'three';
import type { Decoded } from '../data';
import type { SceneArrow } from '../types';
import { placeAt, thinRows } from './interpolate';

const yAxis = new Vector3(0, 1, 0);
const zAxis = new Vector3(0, 0, 1);

/** The size below which nine of ten values lie: one number for the scale that a short peak does not rule. */
export function usualLargest(values: number[]): number {
  const sorted = values.filter((v) => Number.isFinite(v)).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(0.9 * sorted.length))] ?? 0;
}

export class Arrow {
  readonly object: Object3D;
  readonly tip = new Vector3();
  visible = true;
  /** Size of the force or torque reckoned last. */
  size = 0;
  private readonly shaft: Mesh | null;
  private readonly head: Mesh;
  private readonly place: Float32Array;
  private readonly direction = new Vector3();
  private readonly turn = new Quaternion();
  private readonly scratch = new Float32Array(3);
  private usual: number | null = null;

  constructor(
    private readonly data: Decoded,
    readonly spec: SceneArrow,
    colour: string,
    private readonly thickness: number,
    /** How far from its place it begins: at the surface of a ball. */
    private readonly gap: number,
  ) {
    this.place = data.track(spec.at);
    // One of many possible forces is drawn paler: its size is a choice.
    const material = new MeshBasicMaterial({ color: colour, transparent: true, opacity: spec.unique ? 1 : 0.55, depthTest: false });
    this.object = new Group();
    if (spec.what === 'force') {
      this.shaft = new Mesh(new CylinderGeometry(1, 1, 1, 12), material);
      this.head = new Mesh(new ConeGeometry(1, 1, 20), material);
      this.object.add(this.shaft, this.head);
    } else {
      this.shaft = null;
      const arc = new Mesh(new TorusGeometry(1, 0.06, 8, 48, 1.6 * Math.PI), material);
      this.head = new Mesh(new ConeGeometry(0.2, 0.42, 16), material);
      const end = 1.6 * Math.PI;
      this.head.position.set(Math.cos(end), Math.sin(end), 0);
      this.head.quaternion.setFromUnitVectors(yAxis, new Vector3(-Math.sin(end), Math.cos(end), 0));
      this.object.add(arc, this.head);
    }
    this.object.traverse((part) => (part.renderOrder = 9));
  }

  /** Components at (row, fraction). */
  vector(row: number, fraction: number, out: Vector3): Vector3 {
    const at = (c: number): number => {
      const values = this.data.column(this.spec.columns[c]!);
      const a = values[row] ?? 0;
      return a + ((values[row + 1] ?? a) - a) * fraction;
    };
    return out.set(at(0), at(1), at(2));
  }

  /** Size at a row. */
  sizeAt(row: number): number {
    return this.vector(row, 0, this.direction).length();
  }

  usualLargest(): number {
    this.usual ??= usualLargest(thinRows(0, this.data.time.length - 1, 600).map((row) => this.sizeAt(row)));
    return this.usual;
  }

  /** The tip at a row, drawn with `scale`. */
  tipAt(row: number, scale: number, out: Vector3): Vector3 {
    this.vector(row, 0, out);
    const length = out.length();
    out.multiplyScalar(length > 0 ? (length * scale + this.gap) / length : 0);
    placeAt(this.scratch, this.place, row, 0);
    return out.add(this.direction.fromArray(this.scratch));
  }

  /** Size at (row, fraction), drawn or not: between rows on the straight line that the figures draw. The direction is that of the components. */
  measure(row: number, fraction: number): number {
    const here = this.sizeAt(row);
    this.size = fraction === 0 ? here : here + (this.sizeAt(Math.min(row + 1, this.data.time.length - 1)) - here) * fraction;
    this.vector(row, fraction, this.direction).normalize();
    return this.size;
  }

  /** Draws with `scale` lengths per unit of force. What is not drawn is not reckoned either. */
  update(row: number, fraction: number, scale: number): void {
    if (!this.visible) {
      this.object.visible = false;
      return;
    }
    const length = this.measure(row, fraction) * scale;
    this.object.visible = length > this.thickness * 0.8 && Number.isFinite(length) && this.direction.lengthSq() > 0;
    placeAt(this.scratch, this.place, row, fraction);
    this.object.position.fromArray(this.scratch);
    this.tip.copy(this.object.position);
    if (!this.object.visible) {
      return;
    }
    if (!this.shaft) {
      this.turn.setFromUnitVectors(zAxis, this.direction);
      this.object.quaternion.copy(this.turn);
      this.object.scale.setScalar(length);
      this.tip.addScaledVector(new Vector3(0, 1, 0).applyQuaternion(this.turn), length);
      return;
    }
    this.turn.setFromUnitVectors(yAxis, this.direction);
    this.object.quaternion.copy(this.turn);
    const headLength = Math.min(this.thickness * 7, 0.5 * length);
    const shaftLength = length - headLength;
    this.shaft.scale.set(this.thickness, shaftLength, this.thickness);
    this.object.position.addScaledVector(this.direction, this.gap);
    this.tip.copy(this.object.position);
    this.shaft.position.y = shaftLength / 2;
    this.head.scale.set((headLength / 7) * 2.7, headLength, (headLength / 7) * 2.7);
    this.head.position.y = shaftLength + headLength / 2;
    this.tip.addScaledVector(this.direction, length);
  }
}

/** Where the tips of the arrows that are drawn come to, at some rows and but for short peaks; seen from `origin` if there is one. */
export function usualTips(arrows: Arrow[], rows: number, scale: number, origin?: Float32Array): Vector3[] {
  const from = new Vector3();
  const forces = arrows.filter((arrow) => arrow.spec.what === 'force');
  const usual = (1 + 1e-6) * Math.max(0, ...forces.map((arrow) => arrow.usualLargest()));
  return forces
    .filter((arrow) => arrow.visible)
    .slice(0, 24)
    .flatMap((arrow) =>
      thinRows(0, rows - 1, 80).filter((row) => arrow.sizeAt(row) <= usual).map((row) => {
        const tip = arrow.tipAt(row, scale, new Vector3());
        return origin ? tip.sub(from.fromArray(origin, 3 * row)) : tip;
      }),
    )
    .filter((tip) => Number.isFinite(tip.x + tip.y + tip.z));
}
