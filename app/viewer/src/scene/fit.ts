/** What the camera must see: extent of the motion, floor, and from where to look. */
import { Quaternion, Vector3 } from 'three';
import type { Decoded } from '../data';
import type { Scene, Shape, Track } from '../types';
import { thinRows } from './interpolate';

export interface Extent {
  low: Vector3;
  high: Vector3;
  centre: Vector3;
  /** Largest distance from the centre. */
  radius: number;
  /** Largest radius of what is seen at one time. */
  spread: number;
  /** Lowest height along `up`. */
  bottom: number;
}

/** Places on a body's outline in its own axes, and how far the thing there reaches. */
interface Outline {
  at: Vector3;
  reach: number;
}

export function outlineOf(shape: Shape): Outline[] {
  const middle = new Vector3(...(((shape.kind === 'line' ? undefined : shape.at) ?? [0, 0, 0]) as [number, number, number]));
  switch (shape.kind) {
    case 'sphere':
      return [{ at: middle, reach: shape.radius }];
    case 'line':
      return [shape.from, shape.to].map((end) => ({ at: new Vector3().fromArray(end), reach: 0 }));
    case 'box': {
      const [w, x, y, z] = shape.rotation ?? [1, 0, 0, 0];
      const turn = new Quaternion(x, y, z, w);
      return [0, 1, 2, 3, 4, 5, 6, 7].map((corner) => {
        const sign = (k: number): number => ((corner >> k) & 1 ? 0.5 : -0.5);
        return { at: new Vector3(sign(0) * shape.size[0]!, sign(1) * shape.size[1]!, sign(2) * shape.size[2]!).applyQuaternion(turn).add(middle), reach: 0 };
      });
    }
    case 'cylinder': {
      const axis = new Vector3().fromArray(shape.axis).normalize();
      const u = new Vector3(Math.abs(axis.x) < 0.8 ? 1 : 0, Math.abs(axis.x) < 0.8 ? 0 : 1, 0).cross(axis).normalize();
      const v = new Vector3().crossVectors(axis, u);
      return [-0.5, 0.5].flatMap((end) =>
        [0, 1, 2, 3, 4, 5, 6, 7].map((k) => {
          const angle = (k * Math.PI) / 4;
          const at = middle.clone().addScaledVector(axis, end * shape.length);
          return { at: at.addScaledVector(u, shape.radius * Math.cos(angle)).addScaledVector(v, shape.radius * Math.sin(angle)), reach: 0 };
        }),
      );
    }
  }
}

/** Places all over a shape as it is seen: on its edges and in its middle. */
export function samplesOf(shape: Shape): Vector3[] {
  const outline = outlineOf(shape);
  const middle = outline.reduce((sum, { at }) => sum.add(at), new Vector3()).divideScalar(outline.length);
  if (shape.kind === 'line') {
    return [0, 1, 2, 3, 4, 5, 6, 7, 8].map((k) => outline[0]!.at.clone().lerp(outline[1]!.at, k / 8));
  }
  if (shape.kind === 'sphere') {
    const rim = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new Vector3(Math.cos((k * Math.PI) / 4), Math.sin((k * Math.PI) / 4), 0).multiplyScalar(shape.radius).add(middle));
    return [middle, ...rim];
  }
  return [middle, ...outline.flatMap(({ at }) => [at, at.clone().lerp(middle, 0.5)])];
}

/** Calls `visit` with each place (and how far the thing there reaches) at sampled rows; with `origin`, the places of what moves as seen from there. */
function everyPlace(data: Decoded, scene: Scene, visit: (row: number, x: number, y: number, z: number, reach: number) => void, origin?: Float32Array): void {
  const things = scene.bodies.length + scene.points.length + scene.joints.length;
  const rows = thinRows(0, scene.frames - 1, Math.max(40, Math.min(600, Math.round(6000 / Math.max(things, 1)))));
  const from = (row: number, k: number): number => origin?.[3 * row + k] ?? 0;
  const walk = (track: Track, size: number): void => {
    const values = data.track(track);
    for (const row of rows) {
      visit(row, values[3 * row]! - from(row, 0), values[3 * row + 1]! - from(row, 1), values[3 * row + 2]! - from(row, 2), size);
    }
  };
  const p = new Vector3();
  const turn = new Quaternion();
  for (const body of scene.bodies) {
    const outline = [{ at: new Vector3(), reach: 0 }, ...body.shapes.flatMap(outlineOf)];
    const position = data.track(body.position);
    const rotation = body.rotation ? data.track(body.rotation) : null;
    for (const row of rows) {
      if (rotation) {
        turn.set(rotation[4 * row + 1]!, rotation[4 * row + 2]!, rotation[4 * row + 3]!, rotation[4 * row]!);
      }
      for (const { at, reach } of outline) {
        p.copy(at).applyQuaternion(turn);
        visit(row, position[3 * row]! + p.x - from(row, 0), position[3 * row + 1]! + p.y - from(row, 1), position[3 * row + 2]! + p.z - from(row, 2), reach);
      }
    }
  }
  scene.points.filter((point) => !origin || point.kind !== 'ground').forEach((point) => walk(point.track, point.size ?? (point.kind === 'point' ? 0.02 : 0.05) * scene.length));
  scene.joints.forEach((joint) => joint.places.filter((place) => !origin || place.body >= 0).forEach((place) => walk(place.track, 0.05 * scene.length)));
}

export function measure(data: Decoded, scene: Scene): Extent {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = new Vector3(-Infinity, -Infinity, -Infinity);
  const up = new Vector3(...scene.up).normalize();
  const perRow = new Map<number, { low: Vector3; high: Vector3 }>();
  let bottom = Infinity;
  const p = new Vector3();
  const r = new Vector3();
  const edge = new Vector3();
  everyPlace(data, scene, (row, x, y, z, size) => {
    if (!Number.isFinite(x + y + z)) {
      return;
    }
    p.set(x, y, z);
    let box = perRow.get(row);
    if (!box) {
      box = { low: new Vector3(Infinity, Infinity, Infinity), high: new Vector3(-Infinity, -Infinity, -Infinity) };
      perRow.set(row, box);
    }
    r.set(size, size, scene.planar ? 0 : size);
    for (const b of [box, { low, high }]) {
      b.low.min(edge.copy(p).sub(r));
      b.high.max(edge.copy(p).add(r));
    }
    bottom = Math.min(bottom, p.dot(up) - size);
  });
  if (!(low.x <= high.x)) {
    const l = scene.length || 1;
    low.setScalar(-l);
    high.setScalar(l);
    bottom = -l;
  }
  let spread = 0;
  perRow.forEach((box) => (spread = Math.max(spread, box.high.distanceTo(box.low) / 2)));
  const centre = low.clone().add(high).multiplyScalar(0.5);
  const radius = Math.max(high.distanceTo(low) / 2, 0.25 * (scene.length || 1), 1e-9);
  return { low, high, centre, radius, spread: Math.max(spread, 0.25 * (scene.length || 1)), bottom };
}

/** The floor: the level ground through zero where the motion rests on it, else a little below the lowest place. */
export function floorHeight(extent: Extent, length: number): number {
  if (Math.abs(extent.bottom) < 0.25 * length) {
    return 0;
  }
  return extent.bottom - 0.2 * length;
}

/** A direction to look from, across the plane in which most of the motion happens and a little from above. */
export function viewDirection(data: Decoded, scene: Scene, centre: Vector3): Vector3 {
  const up = new Vector3(...scene.up).normalize();
  const e1 = Math.abs(up.x) > 0.8 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
  e1.addScaledVector(up, -e1.dot(up)).normalize();
  const e2 = new Vector3().crossVectors(up, e1);
  let a = 0;
  let b = 0;
  let c = 0;
  const p = new Vector3();
  everyPlace(data, scene, (_row, x, y, z) => {
    if (Number.isFinite(x + y + z)) {
      p.set(x, y, z).sub(centre);
      const u = p.dot(e1);
      const v = p.dot(e2);
      a += u * u;
      b += u * v;
      c += v * v;
    }
  });
  // Smaller principal axis of [a b; b c]; for a round cloud look along e2.
  const round = Math.hypot(a - c, 2 * b) < 0.25 * (a + c);
  const angle = round ? Math.PI / 2 : 0.5 * Math.atan2(2 * b, a - c) + Math.PI / 2;
  const across = e1.clone().multiplyScalar(Math.cos(angle)).addScaledVector(e2, Math.sin(angle));
  if (across.dot(new Vector3(0.3, -1, 0.5)) < 0) {
    across.negate();
  }
  const aside = new Vector3().crossVectors(up, across);
  return across.addScaledVector(aside, 0.55).normalize().addScaledVector(up, 0.42).normalize();
}

/**
 * Where to look (from `origin`, if one is given) and from how far, along `direction`, so that all of the motion, and the tips of arrows, fill the picture. `half` are the tangents of half the angles of view.
 * A place (x, y, z) in axes of the camera, z towards it, is seen from distance d if |x| <= half[0] (d - z) and |y| <= half[1] (d - z).
 */
export function frameAll(data: Decoded, scene: Scene, direction: Vector3, up: Vector3, half: [number, number], origin?: Float32Array, tips: readonly Vector3[] = []): { target: Vector3; distance: number } {
  const right = new Vector3().crossVectors(up, direction).normalize();
  const top = new Vector3().crossVectors(direction, right);
  const p = new Vector3();
  const places: number[] = [];
  everyPlace(data, scene, (_row, x, y, z, size) => {
    if (Number.isFinite(x + y + z)) {
      p.set(x, y, z);
      places.push(p.dot(right), p.dot(top), p.dot(direction), size);
    }
  }, origin);
  tips.forEach((tip) => places.push(tip.dot(right), tip.dot(top), tip.dot(direction), 0));
  // Room for names.
  const margin = 0.12 * scene.length;
  let [cx, cy, cz, distance] = [0, 0, 0, 1];
  for (let pass = 0; pass < 4; ++pass) {
    // In each pass the sides that are seen under the largest angles are brought to the same distance from the middle.
    const side = [Infinity, -Infinity, Infinity, -Infinity];
    const depth = [Infinity, -Infinity];
    for (let i = 0; i < places.length; i += 4) {
      const nearness = pass === 0 ? 1 : distance / Math.max(distance - (places[i + 2]! - cz), 0.2 * distance);
      const r = places[i + 3]! + margin;
      side[0] = Math.min(side[0]!, (places[i]! - cx - r) * nearness);
      side[1] = Math.max(side[1]!, (places[i]! - cx + r) * nearness);
      side[2] = Math.min(side[2]!, (places[i + 1]! - cy - r) * nearness);
      side[3] = Math.max(side[3]!, (places[i + 1]! - cy + r) * nearness);
      depth[0] = Math.min(depth[0]!, places[i + 2]!);
      depth[1] = Math.max(depth[1]!, places[i + 2]!);
    }
    if (places.length === 0) {
      break;
    }
    cx += (side[0]! + side[1]!) / 2;
    cy += (side[2]! + side[3]!) / 2;
    cz = (depth[0]! + depth[1]!) / 2;
    distance = 0;
    for (let i = 0; i < places.length; i += 4) {
      const r = places[i + 3]! + margin;
      const z = places[i + 2]! - cz + places[i + 3]!;
      distance = Math.max(distance, (Math.abs(places[i]! - cx) + r) / half[0] + z, (Math.abs(places[i + 1]! - cy) + r) / half[1] + z);
    }
  }
  const target = new Vector3().addScaledVector(right, cx).addScaledVector(top, cy).addScaledVector(direction, cz);
  return { target, distance: Math.max(distance, 0.5 * scene.length) };
}
