/** Reports of simple motions, made by the contract without the program: fixtures of the tests. */
import type { Column, ColumnKind, Report, Scene, Series, Track } from '../src/types';

/** Collects columns and tracks in one block of little-endian bytes. */
export class Block {
  private readonly pieces: Uint8Array[] = [];
  private length = 0;

  private append(values: Float32Array | Float64Array): number {
    const offset = this.length;
    const bytes = new Uint8Array(Math.ceil(values.byteLength / 8) * 8);
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.pieces.push(bytes);
    this.length += bytes.length;
    return offset;
  }

  series(name: string, values: number[], type: 'f32' | 'f64' = 'f32'): Series {
    return { name, type, offset: this.append(type === 'f64' ? Float64Array.from(values) : Float32Array.from(values)) };
  }

  column(name: string, kind: ColumnKind, values: number[]): Column {
    return { ...this.series(name, values, kind === 'time' ? 'f64' : 'f32'), kind };
  }

  track(places: number[][]): Track {
    return { offset: this.append(Float32Array.from(places.flat())), width: (places[0]?.length ?? 3) as 3 | 4 };
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const piece of this.pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }
}

export interface Sample {
  report: Report;
  data: Uint8Array;
  csv: string;
}

function csvOf(names: string[], columns: number[][]): string {
  const rows = columns[0]!.map((_, i) => columns.map((c) => c[i]!).join(','));
  return `${names.join(',')}\n${rows.join('\n')}\n`;
}

const pendulumText = `# A bob on a massless rod that swings in the plane and strikes a wall.
model "Pendulum"
parameter  m = 1, g = 9.81, L = 1
parameter  ω = sqrt(g/L)
coordinate x, y
particle   bob mass m at (x, y, 0)
gravity    (0, -g, 0)
constraint rod: x^2 + y^2 = L^2
event      lowest: x = 0 { record }
initial    x = L*sin(70*deg), y ~ -0.3
simulate   until 10 every 1/50
output     tilt = atan2(x, -y)/deg
`;

/** A pendulum by a fine Runge-Kutta integration, with the free flight of the bob beside it. */
export function pendulum(rows = 501, title = 'Pendulum'): Sample {
  const [m, g, l] = [1, 9.81, 1];
  const time: number[] = [];
  const angle: number[] = [];
  const rate: number[] = [];
  let a = (70 * Math.PI) / 180;
  let w = 0;
  const step = 10 / (rows - 1);
  const inner = Math.max(1, Math.ceil(step / 0.004));
  for (let i = 0; i < rows; ++i) {
    time.push(i * step);
    angle.push(a);
    rate.push(w);
    for (let k = 0; k < inner; ++k) {
      const h = step / inner;
      const f = (s: number): number => (-g / l) * Math.sin(s);
      const [k1a, k1w] = [w, f(a)];
      const [k2a, k2w] = [w + (h / 2) * k1w, f(a + (h / 2) * k1a)];
      const [k3a, k3w] = [w + (h / 2) * k2w, f(a + (h / 2) * k2a)];
      const [k4a, k4w] = [w + h * k3w, f(a + h * k3a)];
      a += (h / 6) * (k1a + 2 * k2a + 2 * k3a + k4a);
      w += (h / 6) * (k1w + 2 * k2w + 2 * k3w + k4w);
    }
  }
  const x = angle.map((s) => l * Math.sin(s));
  const y = angle.map((s) => -l * Math.cos(s));
  const vx = angle.map((s, i) => l * Math.cos(s) * rate[i]!);
  const vy = angle.map((s, i) => l * Math.sin(s) * rate[i]!);
  const tension = angle.map((s, i) => m * (l * rate[i]! ** 2 + g * Math.cos(s)));
  const fx = tension.map((s, i) => (-s * x[i]!) / l);
  const fy = tension.map((s, i) => (-s * y[i]!) / l);
  const zero = time.map(() => 0);
  const noise = (k: number): number[] => time.map((_, i) => 1e-15 * Math.abs(Math.sin(i * (12.9898 + k))) * (i % 7 === 0 ? 0 : 1));
  const kinetic = vx.map((v, i) => (m / 2) * (v * v + vy[i]! ** 2));
  const potential = y.map((v) => m * g * v);
  const energy = kinetic.map((v, i) => v + potential[i]!);
  const names: [string, ColumnKind, number[]][] = [
    ['t', 'time', time], ['x', 'position', x], ['y', 'position', y], ["x'", 'velocity', vx], ["y'", 'velocity', vy],
    ['Qc[x]', 'force', fx], ['Qc[y]', 'force', fy], ['Qc[z]', 'force', zero], ['lambda[rod]', 'multiplier', tension.map((s) => -s / (2 * l))],
    ['residual[rod]', 'residual', noise(0)], ['residual_rate[rod]', 'residual', noise(1)],
    ['kinetic', 'energy', kinetic], ['potential', 'energy', potential], ['energy', 'energy', energy], ['energy_balance', 'energy', energy.map((e) => e - energy[0]!)],
    ['tilt', 'output', angle.map((s) => (s * 180) / Math.PI)],
  ];
  const block = new Block();
  const columns = names.map(([name, kind, values]) => block.column(name, kind, values));
  const bob = block.track(x.map((v, i) => [v, y[i]!, 0]));
  const pivot = block.track(time.map(() => [0, 0, 0]));
  const few = time.filter((_, i) => i % Math.max(1, Math.floor(rows / 200)) === 0).filter((t) => t < 0.6);
  const compare = {
    label: 'without rod',
    rows: few.length,
    columns: [block.series('t', few, 'f64'), block.series('x', few.map(() => x[0]!)), block.series('y', few.map((t) => y[0]! - (g / 2) * t * t))],
  };
  const crossings = time.flatMap((t, i) => (i > 0 && x[i]! * x[i - 1]! < 0 ? [{ t, name: 'lowest', kind: 'event', detail: `x' = ${vx[i]!.toFixed(4)}` }] : []));
  const scene: Scene = {
    planar: true, up: [0, 1, 0], length: 1, frames: rows,
    points: [
      { name: 'bob', track: bob, kind: 'particle', mass: m, trail: true },
      { name: 'pivot', track: pivot, kind: 'ground', trail: false },
    ],
    bodies: [], joints: [],
    links: [{ kind: 'line', from: 1, to: 0 }],
    arrows: [{ owner: 'rod', on: 'bob', what: 'force', at: bob, columns: [5, 6, 7], unique: true }],
  };
  const report: Report = {
    format: 1, version: '0.1.0', title, modelText: pendulumText, file: 'pendulum.ank',
    parameters: [{ name: 'm', value: m }, { name: 'g', value: g }, { name: 'L', value: l }, { name: 'ω', value: Math.sqrt(g / l) }],
    ending: 'done',
    summary: [
      { label: 'System', value: '2 coordinates, 1 constraint row of rank 1, 1 degree of freedom' },
      { label: 'Steps', value: '212 (3 rejected), 3390 evaluations' },
      { label: 'Energy', value: 'balance within 1.2e-09 (energy of the system up to 6.45)' },
      { label: 'Time', value: '0.0071 s' },
    ],
    tables: [
      { title: 'Constraints', head: ['constraint', 'kind', 'multiplier', 'residual at start'], rows: [['rod', 'holonomic, scleronomic', 'unique', '0']] },
      { title: 'Largest violation over all rows', head: ['constraint', 'residual', 'its rate'], rows: [['rod', '1.67e-15', '1.82e-15']], note: 'Scaled by the size of the gradient.' },
    ],
    events: crossings, rows, columns, compare,
    plots: [
      { title: 'Response', x: 't', y: ['x', 'y'] },
      { title: 'Path', x: 'x', y: ['y'] },
      { title: 'Constrained against unconstrained', x: 't', y: ['x', 'y'], compare: true, note: 'Dashed: the same start without the rod.' },
      { title: 'Forces of constraint', x: 't', y: ['Qc[x]', 'Qc[y]'] },
      { title: 'Constraint satisfaction', x: 't', y: ['residual[rod]', 'residual_rate[rod]'], log: true },
      { title: 'Energy balance', x: 't', y: ['energy_balance'], log: true },
    ],
    equations: [
      { title: 'Mass matrix', latex: 'M = \\begin{pmatrix} m & 0 \\\\ 0 & m \\end{pmatrix}' },
      { title: 'Constraints', note: 'A q″ = b', latex: '\\begin{align*}\n  A_{\\mathrm{rod}} &= \\begin{pmatrix} 2\\,x & 2\\,y \\end{pmatrix} \\\\\n  b_{\\mathrm{rod}} &= -2\\,\\dot{x}^{2} - 2\\,\\dot{y}^{2}\n\\end{align*}' },
      { title: 'A long one', latex: `\\begin{align*}${Array.from({ length: 40 }, (_, i) => `s_{${i + 1}} &= \\frac{1}{${i + 2}}\\,m\\,x^{${i + 1}} + \\sin\\left(\\omega\\,t\\right)`).join(' \\\\ ')}\\end{align*}` },
      { title: 'Not LaTeX', latex: '\\frobnicate{x} = <script>alert(1)</script>' },
    ],
    scene,
  };
  return { report, data: block.bytes(), csv: csvOf(names.map((n) => n[0]), names.map((n) => n[2])) };
}

type Quaternion = [number, number, number, number];

function times(p: Quaternion, q: Quaternion): Quaternion {
  return [
    p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
    p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
    p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
    p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
  ];
}

const about = (axis: 0 | 1 | 2, angle: number): Quaternion => {
  const q: Quaternion = [Math.cos(angle / 2), 0, 0, 0];
  q[axis + 1] = Math.sin(angle / 2);
  return q;
};

const diskText = `# A disk that rolls on a level floor around a circle, leaning inwards.
model "Rolling disk"
parameter  m = 2, r = 0.5, g = 9.81
gravity    (0, 0, -g)
body       disk mass m inertia (m*r^2/4, m*r^2/2, m*r^2/4) at ~ (0, -2, 0.49),
           orientation rotation((1, 0, 0), 20*deg) velocity ~ (3, 0, 0)
joint      contact: rolling_disk(ground, disk, radius = r, axis = (0, 1, 0) in disk)
output     lean = asin(axis(disk, (0, 1, 0)).z)
simulate   until 12
`;

/** A disk on a circle: its centre at radius c, heading along the circle, leaning inwards by a constant angle. */
export function rollingDisk(rows = 601): Sample {
  const [m, r, g, c, lean] = [2, 0.5, 9.81, 2, 0.3];
  const turn = 0.7; // rad/s around the circle
  const contactRadius = c + r * Math.sin(lean);
  const time = Array.from({ length: rows }, (_, i) => (12 * i) / (rows - 1));
  const heading = time.map((t) => turn * t);
  const centre = heading.map((s) => [c * Math.sin(s), -c * Math.cos(s), r * Math.cos(lean)]);
  const touch = heading.map((s) => [contactRadius * Math.sin(s), -contactRadius * Math.cos(s), 0]);
  const rotation = time.map((t, i) => times(times(about(2, heading[i]!), about(0, -lean)), about(1, (turn * contactRadius * t) / r)));
  const force = heading.map((s) => [-m * turn ** 2 * c * Math.sin(s), m * turn ** 2 * c * Math.cos(s), m * g]);
  const block = new Block();
  const names: [string, ColumnKind, number[]][] = [['t', 'time', time]];
  ['x', 'y', 'z'].forEach((k, i) => names.push([`disk.${k}`, 'position', centre.map((p) => p[i]!)]));
  ['u0', 'u1', 'u2', 'u3'].forEach((k, i) => names.push([`disk.${k}`, 'position', rotation.map((p) => p[i]!)]));
  ['x', 'y', 'z'].forEach((k, i) => names.push([`force[contact:disk].${k}`, 'pointForce', force.map((p) => p[i]!)]));
  ['x', 'y', 'z'].forEach((k, i) => names.push([`force[contact:ground].${k}`, 'pointForce', force.map((p) => -p[i]!)]));
  ['x', 'y', 'z'].forEach((k) => names.push([`torque[contact:disk].${k}`, 'pointForce', time.map((t) => 0.3 * Math.sin(t + k.charCodeAt(0)))]));
  for (let i = 1; i <= 9; ++i) {
    names.push([`residual[contact.row${i}]`, 'residual', time.map((t, k) => 10 ** (-17 + (i % 4)) * (1 + Math.sin(i * 31 * t + k)))]);
  }
  names.push(['lean', 'output', time.map(() => -lean)]);
  const columns = names.map(([name, kind, values]) => block.column(name, kind, values));
  const at = (name: string): number => names.findIndex((n) => n[0] === name);
  const xyz = (name: string): [number, number, number] => [at(`${name}.x`), at(`${name}.y`), at(`${name}.z`)];
  const touchTrack = block.track(touch);
  const centreTrack = block.track(centre);
  const report: Report = {
    format: 1, version: '0.1.0', title: 'Rolling disk', modelText: diskText, file: 'rolling_disk.ank',
    parameters: [{ name: 'm', value: m }, { name: 'r', value: r }, { name: 'g', value: g }],
    ending: 'the step became too small at t = 12 (a sample of such a message)',
    summary: [{ label: 'System', value: '7 coordinates, 4 constraint rows of rank 4, 3 degrees of freedom' }],
    tables: [{ title: 'Constraints', head: ['constraint', 'kind', 'rank'], rows: Array.from({ length: 30 }, (_, i) => [`contact.row${i}`, 'nonholonomic, linear', String(i)]) }],
    events: [{ t: 3, name: 'half', kind: 'event', detail: '' }],
    rows, columns,
    plots: [
      { title: 'Response', x: 't', y: ['disk.x', 'disk.y', 'disk.z'] },
      { title: 'Path of the centre', x: 'disk.x', y: ['disk.y'] },
      { title: 'Forces of constraint', x: 't', y: xyz('force[contact:disk]').map((i) => names[i]![0]) },
      { title: 'Constraint satisfaction', x: 't', y: names.filter((n) => n[1] === 'residual').map((n) => n[0]), log: true },
    ],
    equations: [{ title: 'Contact', latex: 'z - r\\,\\cos\\vartheta = 0' }],
    scene: {
      planar: false, up: [0, 0, 1], length: 1, frames: rows, points: [], links: [],
      bodies: [{ name: 'disk', position: centreTrack, rotation: block.track(rotation), shapes: [{ kind: 'cylinder', radius: r, length: 0.02, axis: [0, 1, 0] }], trail: true, mass: m }],
      joints: [{ name: 'contact', definition: 'rolling_disk', places: [{ body: 0, track: touchTrack }] }],
      arrows: [
        { owner: 'contact', on: 'disk', what: 'force', at: touchTrack, columns: xyz('force[contact:disk]'), unique: true },
        { owner: 'contact', on: 'ground', what: 'force', at: touchTrack, columns: xyz('force[contact:ground]'), unique: true },
        { owner: 'contact', on: 'disk', what: 'torque', at: centreTrack, columns: xyz('torque[contact:disk]'), unique: false, note: 'One of many.' },
      ],
    },
  };
  return { report, data: block.bytes(), csv: csvOf(names.map((n) => n[0]), names.map((n) => n[2])) };
}

/** A title that would be a program if it were not text. */
export function hostile(): Sample {
  const evil = '</script><script>window.hacked = true</script><img src=x onerror="window.hacked = true">';
  const sample = pendulum(101, evil);
  sample.report.file = evil;
  sample.report.modelText = `model "${evil}"\n# ${evil}\n`;
  sample.report.parameters.push({ name: evil, value: 1 });
  sample.report.scene.points[0]!.name = evil;
  sample.report.scene.arrows[0]!.owner = evil;
  sample.report.tables.push({ title: evil, head: [evil], rows: [[evil]], note: evil });
  sample.report.plots[0]!.title = evil;
  sample.report.events.push({ t: 1, name: evil, kind: evil, detail: evil });
  return sample;
}

/** What the view statements can ask for: a spring, a box turned in its body, a body that is hidden, a camera. */
export function views(rows = 101): Sample {
  const time = Array.from({ length: rows }, (_, i) => (2 * i) / (rows - 1));
  const x = time.map((t) => 1 + 0.5 * Math.cos(3 * t));
  const block = new Block();
  const columns = [block.column('t', 'time', time), block.column('x', 'position', x)];
  const still = block.track(time.map(() => [0, 0, 0]));
  const moving = block.track(x.map((v) => [v, 0, 0]));
  const turning = block.track(time.map((t) => [Math.cos(t / 2), 0, 0, Math.sin(t / 2)]));
  const report: Report = {
    format: 1, version: '0.1.0', title: 'Views', modelText: '', file: 'views.ank', parameters: [], ending: 'done', summary: [], tables: [], events: [], rows, columns,
    plots: [{ title: 'Response', x: 't', y: ['x'] }], equations: [],
    scene: {
      planar: false, up: [0, 0, 1], length: 1, frames: rows, camera: { from: [3, -4, 2], to: [0.5, 0, 0] },
      points: [{ name: 'anchor', track: still, kind: 'point', trail: false }, { name: 'mass', track: moving, kind: 'particle', mass: 1, trail: true, size: 0.1 }],
      bodies: [
        { name: 'box', position: moving, rotation: turning, shapes: [{ kind: 'box', size: [0.6, 0.2, 0.1], at: [0, 0.3, 0], rotation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2] }], trail: false, mass: 1 },
        { name: '', position: still, rotation: null, shapes: [], trail: false, mass: 1 },
      ],
      joints: [], links: [{ kind: 'spring', from: 0, to: 1 }], arrows: [],
    },
  };
  return { report, data: block.bytes(), csv: csvOf(['t', 'x'], [time, x]) };
}
