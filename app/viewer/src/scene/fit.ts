/** What the camera must see: extent of the motion, floor, and from where to look. */
import { Vector3 } from 'three';
import type { Decoded } from '../data';
import type { Scene, Track } from '../types';
import { thinRows } from './interpolate';
import { reach } from './shapes';

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

/** Calls `visit` with each place (and how far the thing there reaches) at sampled rows. */
function everyPlace(data: Decoded, scene: Scene, visit: (row: number, x: number, y: number, z: number, reach: number) => void): void {
  const rows = thinRows(0, scene.frames - 1, 600);
  const walk = (track: Track, size: number): void => {
    const values = data.track(track);
    for (const row of rows) {
      visit(row, values[3 * row]!, values[3 * row + 1]!, values[3 * row + 2]!, size);
    }
  };
  scene.bodies.forEach((body) => walk(body.position, Math.max(0, ...body.shapes.map(reach))));
  scene.points.forEach((point) => walk(point.track, point.size ?? (point.kind === 'point' ? 0.02 : 0.05) * scene.length));
  scene.joints.forEach((joint) => joint.places.forEach((place) => walk(place.track, 0.05 * scene.length)));
}

export function measure(data: Decoded, scene: Scene): Extent {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = new Vector3(-Infinity, -Infinity, -Infinity);
  const up = new Vector3(...scene.up).normalize();
  const perRow = new Map<number, { low: Vector3; high: Vector3 }>();
  let bottom = Infinity;
  const p = new Vector3();
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
    const r = new Vector3(size, size, scene.planar ? 0 : size);
    for (const b of [box, { low, high }]) {
      b.low.min(p.clone().sub(r));
      b.high.max(p.clone().add(r));
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
 * Where to look and from how far, along `direction`, so that all of the motion fills the picture. `half` are the tangents of half the angles of view.
 * A place (x, y, z) in axes of the camera, z towards it, is seen from distance d if |x| <= half[0] (d - z) and |y| <= half[1] (d - z).
 */
export function frameAll(data: Decoded, scene: Scene, direction: Vector3, up: Vector3, half: [number, number]): { target: Vector3; distance: number } {
  const right = new Vector3().crossVectors(up, direction).normalize();
  const top = new Vector3().crossVectors(direction, right);
  const p = new Vector3();
  const places: number[] = [];
  everyPlace(data, scene, (_row, x, y, z, size) => {
    if (Number.isFinite(x + y + z)) {
      p.set(x, y, z);
      places.push(p.dot(right), p.dot(top), p.dot(direction), size);
    }
  });
  // Room for arrows and names.
  const margin = 0.22 * scene.length;
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
