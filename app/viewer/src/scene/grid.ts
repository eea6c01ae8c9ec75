/** Lines on the floor (or behind a planar drawing) that fade out towards their edge, and the axes' cross. */
import { BufferGeometry, CanvasTexture, Color, ConeGeometry, CylinderGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Sprite, SpriteMaterial, Vector3 } from 'three';
import type { Ink } from './ink';

/** Squares of side `step` around `centre` out to `radius`, in the plane of u and v. Lines through multiples of the step. */
export function gridObject(centre: Vector3, u: Vector3, v: Vector3, radius: number, step: number, ink: Ink, axes: boolean): LineSegments {
  const positions: number[] = [];
  const colours: number[] = [];
  const colour = new Color(ink.grid);
  const strong = new Color(ink.soft);
  const cu = centre.dot(u);
  const cv = centre.dot(v);
  const normal = new Vector3().crossVectors(u, v);
  const height = centre.dot(normal);
  const pieces = 24;
  const put = (a: number, b: number, line: Color, weight: number): void => {
    const fade = Math.max(0, 1 - (Math.hypot(a - cu, b - cv) / radius) ** 2) * weight;
    const p = new Vector3().addScaledVector(u, a).addScaledVector(v, b).addScaledVector(normal, height);
    positions.push(p.x, p.y, p.z);
    colours.push(line.r, line.g, line.b, fade);
  };
  const family = (c: number, other: number, place: (s: number, fixed: number, line: Color, weight: number) => void): void => {
    for (let k = Math.ceil((c - radius) / step); k * step <= c + radius; ++k) {
      const half = Math.sqrt(Math.max(0, radius ** 2 - (k * step - c) ** 2));
      const main = axes && k === 0;
      for (let i = 0; i < pieces; ++i) {
        place(other - half + (2 * half * i) / pieces, k * step, main ? strong : colour, main ? 0.9 : 0.55);
        place(other - half + (2 * half * (i + 1)) / pieces, k * step, main ? strong : colour, main ? 0.9 : 0.55);
      }
    }
  };
  family(cu, cv, (s, fixed, line, weight) => put(fixed, s, line, weight));
  family(cv, cu, (s, fixed, line, weight) => put(s, fixed, line, weight));
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.setAttribute('color', new Float32BufferAttribute(colours, 4));
  const lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
  lines.renderOrder = -5;
  return lines;
}

function letter(text: string, colour: string): Sprite {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const context = canvas.getContext('2d')!;
  context.font = '600 46px "Source Sans 3", sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = colour;
  context.fillText(text, 32, 32);
  const sprite = new Sprite(new SpriteMaterial({ map: new CanvasTexture(canvas), depthTest: false }));
  sprite.scale.setScalar(0.62);
  return sprite;
}

/** The three directions x, y, z of unit length for the corner of the picture. */
export function axesObject(ink: Ink, planar: boolean): Group {
  const group = new Group();
  const directions: [string, Vector3][] = [['x', new Vector3(1, 0, 0)], ['y', new Vector3(0, 1, 0)]];
  if (!planar) {
    directions.push(['z', new Vector3(0, 0, 1)]);
  }
  for (const [name, direction] of directions) {
    const material = new MeshBasicMaterial({ color: ink.line });
    const shaft = new Mesh(new CylinderGeometry(0.025, 0.025, 0.8, 8), material);
    shaft.position.y = 0.4;
    const head = new Mesh(new ConeGeometry(0.085, 0.26, 14), material);
    head.position.y = 0.9;
    const arrow = new Group();
    arrow.add(shaft, head);
    arrow.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), direction);
    const text = letter(name, ink.line);
    text.position.copy(direction).multiplyScalar(1.35);
    group.add(arrow, text);
  }
  return group;
}
