/** Play, pause, time line with events, speed. */
import { comfortableSpeed, speedChoices, type Clock } from '../clock';
import type { Numbers } from '../data';
import { locate } from '../data';
import { formatInstant, formatTime, formatValue } from '../format';
import type { RunEvent } from '../types';
import { el, freshId, icon, icons } from './dom';

const steps = 10000;

export function transport(clock: Clock, events: RunEvent[]): HTMLElement {
  const playIcon = icon(icons.play, true);
  const pauseIcon = icon(icons.pause, true);
  const play = el('button', { class: 'play', title: 'Play or pause (space)', attrs: { type: 'button', 'aria-label': 'Play', id: 'ananke-play' } }, playIcon);
  play.addEventListener('click', () => clock.toggle());
  const begin = el('button', { class: 'quiet icon-only', title: 'Back to the start (Home)', attrs: { type: 'button', 'aria-label': 'Back to the start' } }, icon(icons.begin));
  begin.addEventListener('click', () => clock.seek(clock.start));
  const slider = el('input', { class: 'scrub', attrs: { type: 'range', min: '0', max: String(steps), step: '1', value: '0', 'aria-label': 'Time', id: 'ananke-scrub' } });
  slider.addEventListener('input', () => clock.seek(clock.start + (clock.duration * Number(slider.value)) / steps));
  const reading = el('output', { class: 'time num', attrs: { id: 'ananke-time', 'aria-label': 'Time' } });
  const speedId = freshId();
  const speed = el('select', { attrs: { id: speedId, title: 'Seconds of motion per second of watching' } });
  for (const choice of speedChoices(comfortableSpeed(clock.duration))) {
    speed.append(el('option', { text: `${formatValue(choice)}×`, attrs: { value: String(choice) } }));
  }
  speed.value = String(clock.speed);
  speed.addEventListener('change', () => clock.setSpeed(Number(speed.value)));

  const showTime = (t: number): void => {
    const part = clock.duration > 0 ? (t - clock.start) / clock.duration : 0;
    slider.value = String(Math.round(part * steps));
    slider.style.setProperty('--part', `${(100 * part).toFixed(2)}%`);
    const text = `t = ${(clock.playing ? formatTime : formatInstant)(t, clock.duration)}`;
    reading.textContent = text;
    slider.setAttribute('aria-valuetext', text);
  };
  clock.onTime(showTime);
  clock.onState(() => {
    play.replaceChildren(clock.playing ? pauseIcon : playIcon);
    play.setAttribute('aria-label', clock.playing ? 'Pause' : 'Play');
    speed.value = String(clock.speed);
    showTime(clock.t);
  });
  showTime(clock.t);

  return el(
    'div',
    { class: 'transport', attrs: { role: 'group', 'aria-label': 'Time of the animation' } },
    begin,
    play,
    el('div', { class: 'timeline' }, eventMarks(clock, events), slider),
    reading,
    el('label', { class: 'speed', attrs: { for: speedId } }, el('span', { class: 'sr', text: 'Speed' }), speed),
  );
}

/** Ticks where events happened, one for all that would fall on the same place. */
function eventMarks(clock: Clock, events: RunEvent[]): HTMLElement {
  const places = new Map<number, RunEvent[]>();
  for (const event of events) {
    const place = clock.duration > 0 ? Math.round((300 * (event.t - clock.start)) / clock.duration) : 0;
    const here = places.get(place);
    if (here) {
      here.push(event);
    } else {
      places.set(place, [event]);
    }
  }
  const marks = el('div', { class: 'marks' });
  places.forEach((list, place) => {
    const first = list[0]!;
    const text = `${first.name} (${first.kind}) at t = ${formatTime(first.t, clock.duration)}${list.length > 1 ? `, and ${list.length - 1} more` : ''}`;
    const mark = el('button', { class: 'mark', title: text, attrs: { type: 'button', tabindex: '-1', 'aria-label': text } });
    mark.style.left = `${(100 * place) / 300}%`;
    mark.addEventListener('click', () => clock.seek(first.t));
    marks.append(mark);
  });
  return marks;
}

/** Space plays, arrows move the time by one row (shift: by a fiftieth of the run). */
export function bindKeys(clock: Clock, time: Numbers): void {
  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('select, textarea, dialog, input:not([type=range]):not([type=checkbox])')) {
      return;
    }
    const onButton = target.closest('button, summary, input[type=checkbox]') !== null;
    const onSlider = target.matches('input[type=range]') && target.id !== 'ananke-scrub';
    if (event.key === ' ' && !onButton) {
      clock.toggle();
    } else if ((event.key === 'ArrowRight' || event.key === 'ArrowLeft') && !onSlider) {
      const direction = event.key === 'ArrowRight' ? 1 : -1;
      step(clock, time, direction, event.shiftKey);
    } else if (event.key === 'Home' && target.id === 'ananke-scrub') {
      clock.seek(clock.start);
    } else if (event.key === 'End' && target.id === 'ananke-scrub') {
      clock.seek(clock.end);
    } else {
      return;
    }
    event.preventDefault();
  });
}

function step(clock: Clock, time: Numbers, direction: number, large: boolean): void {
  clock.pause();
  if (large) {
    clock.seek(clock.t + (direction * clock.duration) / 50);
    return;
  }
  // At least a thousandth of the run, so that long runs can be walked through.
  const row = locate(time, clock.t);
  const rows = Math.max(1, Math.floor(time.length / 1000));
  const between = direction < 0 && clock.t > (time[row] ?? 0);
  const next = time[Math.min(Math.max(row + direction * rows + (between ? 1 : 0), 0), time.length - 1)];
  clock.seek(next ?? clock.t);
}
