/** Meshes of bodies, points and joints. */
import {
  BoxGeometry, BufferGeometry, CircleGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, EdgesGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments,
  Mesh, MeshBasicMaterial, MeshLambertMaterial, Object3D, Quaternion, RingGeometry, SphereGeometry, Vector3, type Material,
} from 'three';
import type { Shape } from '../types';
import type { Ink } from './ink';

const vector = (a: number[] | undefined): Vector3 => new Vector3(a?.[0] ?? 0, a?.[1] ?? 0, a?.[2] ?? 0);
const yAxis = new Vector3(0, 1, 0);

function fill(colour: string, planar: boolean): Material {
  if (planar) {
    return new MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.82, depthWrite: false, side: DoubleSide });
  }
  return new MeshLambertMaterial({ color: colour });
}

/** Drawn over everything before it; transparent only to be among what is drawn last. */
function onTop(colour: string | Color): Material {
  return new MeshBasicMaterial({ color: colour, transparent: true, depthTest: false });
}

function strokes(points: number[], colour: Color, opacity: number): LineSegments {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(points, 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color: colour, transparent: true, opacity }));
}

function circle(radius: number, u: Vector3, v: Vector3, centre: Vector3, pieces = 48): number[] {
  const points: number[] = [];
  for (let i = 0; i < pieces; ++i) {
    for (const angle of [(2 * Math.PI * i) / pieces, (2 * Math.PI * (i + 1)) / pieces]) {
      const p = centre.clone().addScaledVector(u, radius * Math.cos(angle)).addScaledVector(v, radius * Math.sin(angle));
      points.push(p.x, p.y, p.z);
    }
  }
  return points;
}

/** Two lighter quarters on each face of a disk show how it turns. */
function quarters(shape: Shape, colour: string, planar: boolean): Mesh[] {
  if (shape.kind !== 'cylinder' || shape.length > shape.radius) {
    return [];
  }
  const material = fill(`#${new Color(colour).lerp(new Color('#ffffff'), 0.3).getHexString()}`, planar);
  const half = Math.max(shape.length, 0.02 * shape.radius) / 2 + 0.002 * shape.radius;
  return [1, -1].flatMap((side) =>
    [0, Math.PI].map((start) => {
      const sector = new Mesh(new CircleGeometry(0.94 * shape.radius, 20, start, Math.PI / 2), material);
      sector.rotation.x = (-side * Math.PI) / 2;
      sector.position.y = side * half;
      return sector;
    }),
  );
}

/** Lines on a round shape that show how it turns. */
function marks(shape: Shape, colour: Color): LineSegments | null {
  if (shape.kind === 'sphere') {
    const r = shape.radius * 1.003;
    const o = new Vector3();
    const [x, y, z] = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
    return strokes([...circle(r, x, y, o), ...circle(r, y, z, o), ...circle(r, z, x, o)], colour, 0.55);
  }
  if (shape.kind === 'cylinder') {
    const r = shape.radius;
    const h = shape.length / 2 + 0.004 * r;
    const points: number[] = [];
    for (const y of [h, -h]) {
      points.push(-r, y, 0, r, y, 0, 0, y, -r, 0, y, r);
    }
    return strokes(points, colour, 0.75);
  }
  return null;
}

/** One shape in body axes; `thickness` is the radius of lines. */
function shapeObject(shape: Shape, colour: string, planar: boolean, thickness: number, ink: Ink): Object3D {
  const holder = new Group();
  const edge = new Color(colour).lerp(new Color(ink.line), planar ? 0.55 : 0.6);
  let geometry: BufferGeometry;
  let edged = true;
  switch (shape.kind) {
    case 'sphere':
      geometry = planar ? new CircleGeometry(shape.radius, 48) : new SphereGeometry(shape.radius, 40, 24);
      edged = planar;
      holder.position.copy(vector(shape.at));
      break;
    case 'box': {
      const least = 0.02 * Math.max(...shape.size.map(Math.abs), thickness);
      geometry = new BoxGeometry(Math.max(shape.size[0] ?? 0, least), Math.max(shape.size[1] ?? 0, least), Math.max(shape.size[2] ?? 0, least));
      holder.position.copy(vector(shape.at));
      if (shape.rotation) {
        const [w, x, y, z] = shape.rotation;
        holder.quaternion.set(x ?? 0, y ?? 0, z ?? 0, w ?? 1);
      }
      break;
    }
    case 'cylinder':
      geometry = new CylinderGeometry(shape.radius, shape.radius, Math.max(shape.length, 0.02 * shape.radius), 56);
      holder.position.copy(vector(shape.at));
      holder.quaternion.setFromUnitVectors(yAxis, vector(shape.axis).normalize());
      break;
    case 'line': {
      const from = vector(shape.from);
      const along = vector(shape.to).sub(from);
      const length = along.length();
      geometry = new CylinderGeometry(thickness, thickness, Math.max(length, 1e-9), 12);
      holder.position.copy(from).addScaledVector(along, 0.5);
      holder.quaternion.setFromUnitVectors(yAxis, length > 0 ? along.normalize() : yAxis);
      edged = false;
      break;
    }
  }
  const mesh = new Mesh(geometry, fill(colour, planar));
  holder.add(mesh);
  if (edged) {
    const lines = new LineSegments(new EdgesGeometry(geometry, 30), new LineBasicMaterial({ color: edge, transparent: true, opacity: planar ? 0.95 : 0.5 }));
    lines.renderOrder = 1;
    holder.add(lines);
  }
  quarters(shape, colour, planar).forEach((sector) => holder.add(sector));
  const turning = planar && shape.kind === 'sphere' ? strokes([0, 0, 0, shape.radius, 0, 0], edge, 0.9) : marks(shape, edge);
  if (turning) {
    turning.renderOrder = 1;
    holder.add(turning);
  }
  return holder;
}

export function bodyObject(shapes: Shape[], colour: string, planar: boolean, thickness: number, ink: Ink): Group {
  const body = new Group();
  for (const shape of shapes) {
    body.add(shapeObject(shape, colour, planar, thickness, ink));
  }
  return body;
}

export function ballObject(radius: number, colour: string, planar: boolean, ink: Ink): Object3D {
  if (!planar) {
    return new Mesh(new SphereGeometry(radius, 32, 20), fill(colour, false));
  }
  const ball = new Group();
  const disk = new Mesh(new CircleGeometry(radius, 40), onTop(colour));
  const rim = new Mesh(new RingGeometry(radius * 0.86, radius, 40), onTop(new Color(colour).lerp(new Color(ink.line), 0.5)));
  disk.renderOrder = 3;
  rim.renderOrder = 4;
  ball.add(disk, rim);
  return ball;
}

/** A pin: a ring that always faces the camera. */
export function pinObject(radius: number, ink: Ink): Object3D {
  const pin = new Group();
  const disk = new Mesh(new CircleGeometry(radius, 28), onTop(ink.jointFill));
  const ring = new Mesh(new RingGeometry(radius * 0.66, radius, 28), onTop(ink.joint));
  disk.renderOrder = 6;
  ring.renderOrder = 7;
  pin.add(disk, ring);
  return pin;
}

/** The support of a pin on the ground: a foot with its point at the place, against `up`. */
export function footObject(size: number, up: Vector3, planar: boolean, ink: Ink): Object3D {
  const foot = new Group();
  const material = (): Material => (planar ? new MeshBasicMaterial({ color: ink.soft }) : new MeshLambertMaterial({ color: ink.soft }));
  const cone = new Mesh(new ConeGeometry(size * 0.62, size, planar ? 4 : 28), material());
  cone.position.y = -size / 2;
  const plate = new Mesh(planar ? new BoxGeometry(size * 1.7, size * 0.16, size * 0.1) : new CylinderGeometry(size * 0.85, size * 0.85, size * 0.16, 32), material());
  plate.position.y = -size * 1.06;
  foot.add(cone, plate);
  foot.quaternion.copy(new Quaternion().setFromUnitVectors(yAxis, up));
  return foot;
}
