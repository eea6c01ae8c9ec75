import { expect, it } from 'vitest';
import { Clock, comfortableSpeed, speedChoices } from './clock';

function hand(): { clock: Clock; frame: (now: number) => void } {
  let next: ((now: number) => void) | null = null;
  const clock = new Clock(0, 3, (tick) => (next = tick));
  return {
    clock,
    frame(now) {
      const tick = next;
      next = null;
      tick?.(now);
    },
  };
}

it('plays at its speed and stops at the end', () => {
  const { clock, frame } = hand();
  clock.setSpeed(2);
  clock.play();
  frame(1000);
  expect(clock.t).toBe(0);
  frame(1050);
  expect(clock.t).toBeCloseTo(0.1);
  for (let now = 1100; now < 4000; now += 50) {
    frame(now);
  }
  expect(clock.t).toBe(3);
  expect(clock.playing).toBe(false);
  clock.play(); // begins anew
  expect(clock.t).toBe(0);
});

it('does not jump after the page was hidden', () => {
  const { clock, frame } = hand();
  clock.play();
  frame(0);
  frame(60000);
  expect(clock.t).toBeLessThanOrEqual(0.1);
});

it('keeps the time inside the run and tells each change once', () => {
  const { clock } = hand();
  const heard: number[] = [];
  clock.onTime((t) => heard.push(t));
  clock.seek(9);
  clock.seek(9);
  clock.seek(-1);
  expect(heard).toEqual([3, 0]);
});

it('chooses a speed at which a run can be watched', () => {
  expect([5, 30, 0.03, 3000].map(comfortableSpeed)).toEqual([1, 1, 0.002, 200]);
  expect(speedChoices(1)).toContain(1);
  expect(speedChoices(0.002)).toContain(0.002);
});
