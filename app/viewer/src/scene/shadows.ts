/** Shadows straight below the bodies: their own meshes, flattened onto the floor in one colour. They show where a body is and cost next to nothing. */
import { Color, DoubleSide, Group, Matrix4, Mesh, MeshBasicMaterial, type Object3D, type Vector3 } from 'three';
import type { Ink } from './ink';

export class Shadows {
  readonly object = new Group();
  private readonly pairs: { source: Mesh; shadow: Mesh }[] = [];
  private readonly sources: Object3D[] = [];
  private readonly flatten: Matrix4;
  private readonly material: MeshBasicMaterial;

  constructor(up: Vector3, height: number, ink: Ink) {
    // p - up (up . p - height)
    const { x, y, z } = up;
    this.flatten = new Matrix4().set(
      1 - x * x, -x * y, -x * z, x * height,
      -x * y, 1 - y * y, -y * z, y * height,
      -x * z, -y * z, 1 - z * z, z * height,
      0, 0, 0, 1,
    );
    this.material = new MeshBasicMaterial({ color: new Color(ink.shadow), side: DoubleSide, depthWrite: false });
  }

  add(object: Object3D): void {
    this.sources.push(object);
    object.traverse((part) => {
      const source = part as Mesh;
      if (source.isMesh) {
        const shadow = new Mesh(source.geometry, this.material);
        shadow.matrixAutoUpdate = false;
        shadow.frustumCulled = false;
        shadow.renderOrder = -8;
        this.pairs.push({ source, shadow });
        this.object.add(shadow);
      }
    });
  }

  update(): void {
    this.sources.forEach((object) => object.updateMatrixWorld(true));
    for (const { source, shadow } of this.pairs) {
      shadow.matrix.multiplyMatrices(this.flatten, source.matrixWorld);
      shadow.matrixWorldNeedsUpdate = true;
    }
  }
}
