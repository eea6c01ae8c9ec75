/** The data contract between the program and this page (format 1). */

/** A column of numbers in the binary block: `rows` values from byte `offset` (a multiple of 8). */
export interface Series {
  name: string;
  offset: number;
  type: 'f32' | 'f64';
  /** Of the numbers, where it is known. */
  unit?: string;
}

export type ColumnKind =
  | 'time' | 'position' | 'velocity' | 'acceleration' | 'force' | 'multiplier' | 'control'
  | 'residual' | 'pointForce' | 'energy' | 'output' | 'principle';

export interface Column extends Series {
  kind: ColumnKind | string;
}

export interface PlotSpec {
  title: string;
  x: string;
  y: string[];
  log?: boolean;
  compare?: boolean;
  note?: string;
}

export interface Table {
  title: string;
  note?: string;
  head: string[];
  rows: string[][];
}

export interface Equation {
  title: string;
  latex: string;
  note?: string;
}

export interface RunEvent {
  t: number;
  name: string;
  kind: string;
  detail: string;
}

export interface Report {
  format: 1;
  version: string;
  title: string;
  modelText: string;
  file: string;
  parameters: { name: string; value: number }[];
  /** "done", or why the run ended early. */
  ending: string;
  summary: { label: string; value: string }[];
  tables: Table[];
  events: RunEvent[];
  rows: number;
  /** Column 0 is the time. */
  columns: Column[];
  /** The run without some constraints; its own time first. */
  compare?: { label: string; rows: number; columns: Series[] };
  plots: PlotSpec[];
  equations: Equation[];
  scene: Scene;
}

export type Vec3 = [number, number, number];

/** f32, frames*width values. */
export interface Track {
  offset: number;
  width: 3 | 4;
}

export type Shape =
  | { kind: 'sphere'; radius: number; at?: number[] }
  | { kind: 'box'; size: number[]; at?: number[]; rotation?: number[] }
  | { kind: 'cylinder'; radius: number; length: number; axis: number[]; at?: number[] }
  | { kind: 'line'; from: number[]; to: number[] };

export interface ScenePoint {
  name: string;
  track: Track;
  kind: 'particle' | 'point' | 'ground';
  mass?: number;
  color?: string;
  trail: boolean;
  size?: number;
}

export interface SceneBody {
  name: string;
  position: Track;
  /** Quaternion w x y z; null: no rotation. */
  rotation: Track | null;
  shapes: Shape[];
  color?: string;
  trail: boolean;
  mass: number;
}

export interface SceneJoint {
  name: string;
  definition: string;
  /** body -1 is the ground. */
  places: { body: number; track: Track }[];
}

export interface SceneLink {
  kind: 'line' | 'spring';
  from: number;
  to: number;
  color?: string;
  label?: string;
}

export interface SceneArrow {
  owner: string;
  on: string;
  what: 'force' | 'torque';
  at: Track;
  /** Indices into Report.columns. */
  columns: [number, number, number];
  unique: boolean;
  note?: string;
}

export interface Scene {
  planar: boolean;
  up: Vec3;
  /** A typical length of the drawing. */
  length: number;
  camera?: { from: number[]; to: number[] };
  frames: number;
  points: ScenePoint[];
  bodies: SceneBody[];
  joints: SceneJoint[];
  links: SceneLink[];
  arrows: SceneArrow[];
}
