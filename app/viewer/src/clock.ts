/** The one time that animation, plots and readings share. */

export type ClockListener = (t: number) => void;

export class Clock {
  t: number;
  speed: number;
  playing = false;
  private readonly timeListeners = new Set<ClockListener>();
  private readonly stateListeners = new Set<() => void>();
  private last = 0;

  constructor(
    readonly start: number,
    readonly end: number,
    private readonly schedule: (tick: (now: number) => void) => void,
  ) {
    this.t = start;
    this.speed = comfortableSpeed(end - start);
  }

  get duration(): number {
    return this.end - this.start;
  }

  onTime(listener: ClockListener): void {
    this.timeListeners.add(listener);
  }

  onState(listener: () => void): void {
    this.stateListeners.add(listener);
  }

  seek(t: number): void {
    const bounded = Math.min(Math.max(t, this.start), this.end);
    if (bounded !== this.t) {
      this.t = bounded;
      this.timeListeners.forEach((listener) => listener(bounded));
    }
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  play(): void {
    if (this.playing || !(this.duration > 0)) {
      return;
    }
    if (this.t >= this.end) {
      this.seek(this.start);
    }
    this.playing = true;
    this.last = NaN;
    this.changed();
    this.schedule(this.tick);
  }

  pause(): void {
    if (this.playing) {
      this.playing = false;
      this.changed();
    }
  }

  toggle(): void {
    if (this.playing) {
      this.pause();
    } else {
      this.play();
    }
  }

  private readonly tick = (now: number): void => {
    if (!this.playing) {
      return;
    }
    // A hidden page pauses its frames; the motion then goes on where it was.
    const elapsed = Number.isNaN(this.last) ? 0 : Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    const next = this.t + elapsed * this.speed;
    if (next >= this.end) {
      this.seek(this.end);
      this.pause();
      return;
    }
    this.seek(next);
    this.schedule(this.tick);
  };

  private changed(): void {
    this.stateListeners.forEach((listener) => listener());
  }
}

/** Seconds of motion per second of watching: 1 where the run lasts 2 to 40 s, else so that it lasts about 12 s. */
export function comfortableSpeed(duration: number): number {
  if (!(duration > 0) || (duration >= 2 && duration <= 40)) {
    return 1;
  }
  const wanted = duration / 12;
  const unit = 10 ** Math.floor(Math.log10(wanted));
  const lead = wanted / unit;
  return unit * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

/** Speeds to choose from, around the comfortable one. */
export function speedChoices(comfortable: number): number[] {
  return [0.1, 0.25, 0.5, 1, 2, 4, 10].map((f) => Number((f * comfortable).toPrecision(6)));
}
