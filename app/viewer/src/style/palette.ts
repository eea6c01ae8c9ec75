/** Colours that colour-blind readers can tell apart (Okabe & Ito), in the same order as in all other pictures of the program. */

const common = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9'];

/** Curves beyond these begin anew, dashed. */
export const coloursInAll = common.length + 1;

export type Theme = 'light' | 'dark';

export function curveColour(index: number, theme: Theme): string {
  const list = [...common, theme === 'light' ? '#000000' : '#F0E442'];
  return list[index % list.length]!;
}

/** Bodies leave out vermilion, the colour of forces, and the last. */
const bodies = ['#0072B2', '#009E73', '#E69F00', '#CC79A7', '#56B4E9'];

export function bodyColour(index: number): string {
  return bodies[index % bodies.length]!;
}

export const forceColour = '#D55E00';
export const torqueColour = '#CC79A7';

const names: Record<string, string> = {
  blue: '#0072B2', vermilion: '#D55E00', red: '#D55E00', green: '#009E73', purple: '#CC79A7', pink: '#CC79A7', orange: '#E69F00', sky: '#56B4E9', yellow: '#F0E442',
  black: '#222222', white: '#f4f4f4', grey: '#888888', gray: '#888888', steel: '#8295a5',
};

/** A colour of the model: "#rrggbb" or a name of the short list; `otherwise` where it is neither. */
export function namedColour(colour: string | undefined, otherwise: string): string {
  if (colour === undefined) {
    return otherwise;
  }
  return /^#[0-9a-fA-F]{6}$/.test(colour) ? colour : (names[colour.toLowerCase()] ?? otherwise);
}
