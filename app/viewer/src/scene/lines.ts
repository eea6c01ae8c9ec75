/** Lines of constant width on the screen: trails, rods between points, springs. */
import { Color, Vector3 } from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import type { Numbers } from '../data';
import { locate } from '../data';
import { placeAt, thinRows } from './interpolate';

function line(width: number, colour: string | null, opacity: number): Line2 {
  const material = new LineMaterial({ linewidth: width, transparent: true, opacity, depthWrite: false });
  if (colour === null) {
    material.vertexColors = true;
  } else {
    material.color = new Color(colour);
  }
  const object = new Line2(new LineGeometry(), material);
  object.frustumCulled = false;
  return object;
}

/** Replaces the vertices; the buffers are made once and reused, because this happens in every frame. */
function setVertices(object: Line2, positions: Float32Array, colours?: Float32Array): void {
  const geometry = object.geometry;
  const start = geometry.getAttribute('instanceStart');
  const segments = positions.length / 3 - 1;
  if (!start || start.count !== segments) {
    geometry.setPositions(positions);
    if (colours) {
      geometry.setColors(colours);
    }
    return;
  }
  const write = (name: string, values: Float32Array): void => {
    const attribute = geometry.getAttribute(name) as unknown as { data: { array: Float32Array; needsUpdate: boolean } };
    const array = attribute.data.array;
    for (let i = 0; i < segments; ++i) {
      for (let k = 0; k < 6; ++k) {
        array[6 * i + k] = values[3 * i + k]!;
      }
    }
    attribute.data.needsUpdate = true;
  };
  write('instanceStart', positions);
  if (colours) {
    write('instanceColorStart', colours);
  }
}

/** The path of a point: the whole of it faint, the last stretch strong and fading. */
export class Trail {
  readonly whole: Line2;
  readonly recent: Line2;
  private static readonly pieces = 160;
  private readonly positions = new Float32Array(3 * (Trail.pieces + 1));
  private readonly colours = new Float32Array(3 * (Trail.pieces + 1));
  private readonly scratch = new Float32Array(3);

  constructor(
    private readonly time: Numbers,
    private readonly track: Float32Array,
    colour: string,
    paper: string,
    private readonly stretch: number,
  ) {
    const rows = thinRows(0, time.length - 1, 6000);
    const path = new Float32Array(3 * rows.length);
    rows.forEach((row, i) => path.set(track.subarray(3 * row, 3 * row + 3), 3 * i));
    this.whole = line(1.2, colour, 0.28);
    if (rows.length > 1) {
      this.whole.geometry.setPositions(path);
    }
    this.recent = line(2.2, null, 1);
    const strong = new Color(colour);
    const weak = new Color(paper).lerp(strong, 0.28); // as faint as the whole path, into which it runs
    for (let i = 0; i <= Trail.pieces; ++i) {
      const c = weak.clone().lerp(strong, (i / Trail.pieces) ** 1.2);
      this.colours.set([c.r, c.g, c.b], 3 * i);
    }
    this.whole.renderOrder = -2;
    this.recent.renderOrder = -1;
  }

  update(t: number): void {
    const first = this.time[0] ?? 0;
    const from = Math.max(first, t - this.stretch);
    for (let i = 0; i <= Trail.pieces; ++i) {
      const s = from + ((t - from) * i) / Trail.pieces;
      const row = locate(this.time, s);
      const here = this.time[row] ?? 0;
      const next = this.time[row + 1] ?? here;
      placeAt(this.scratch, this.track, row, next > here ? Math.min((s - here) / (next - here), 1) : 0);
      this.positions.set(this.scratch, 3 * i);
    }
    setVertices(this.recent, this.positions, this.colours);
  }
}

/** A straight line or a spring between two moving places. */
export class Link {
  readonly object: Line2;
  private readonly positions: Float32Array;

  constructor(
    readonly kind: 'line' | 'spring',
    colour: string,
    private readonly radius: number,
    private readonly planar: boolean,
  ) {
    this.object = line(kind === 'line' ? 3 : 2, colour, 1);
    this.object.renderOrder = 1;
    this.positions = new Float32Array(kind === 'line' ? 6 : 3 * (Link.coils * Link.perCoil + 5));
  }

  private static readonly coils = 9;
  private static readonly perCoil = 14;

  update(from: Vector3, to: Vector3): void {
    if (this.kind === 'line') {
      from.toArray(this.positions, 0);
      to.toArray(this.positions, 3);
    } else {
      this.spring(from, to);
    }
    setVertices(this.object, this.positions);
  }

  private spring(from: Vector3, to: Vector3): void {
    const along = new Vector3().subVectors(to, from);
    const length = along.length() || 1e-9;
    along.divideScalar(length);
    const side = new Vector3(0, 0, 1).cross(along);
    if (side.lengthSq() < 1e-6) {
      side.set(1, 0, 0).cross(along);
    }
    side.normalize();
    const other = new Vector3().crossVectors(along, side);
    const end = 0.1 * length;
    const body = length - 2 * end;
    const put = (i: number, s: number, a: number, b: number): void => {
      const p = new Vector3().copy(from).addScaledVector(along, s).addScaledVector(side, a).addScaledVector(other, b);
      p.toArray(this.positions, 3 * i);
    };
    const count = Link.coils * Link.perCoil;
    put(0, 0, 0, 0);
    put(1, end, 0, 0);
    for (let i = 0; i <= count; ++i) {
      const turns = (2 * Math.PI * i) / Link.perCoil;
      // The ends of the helix run into the axis.
      const r = this.radius * Math.min(1, (4 * i) / Link.perCoil, (4 * (count - i)) / Link.perCoil);
      put(i + 2, end + (body * i) / count, r * Math.sin(turns), this.planar ? 0 : r * Math.cos(turns));
    }
    put(count + 3, length - end, 0, 0);
    put(count + 4, length, 0, 0);
  }
}
