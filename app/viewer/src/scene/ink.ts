/** Colours of the drawing apart from those of the bodies. */
import type { Theme } from '../style/palette';

export interface Ink {
  /** Behind the drawing; trails fade into it. */
  paper: string;
  line: string;
  soft: string;
  grid: string;
  shadow: string;
  joint: string;
  jointFill: string;
}

export const inks: Record<Theme, Ink> = {
  light: { paper: '#f7f8f9', line: '#30363c', soft: '#9aa3ab', grid: '#b9c0c6', shadow: '#dfe3e6', joint: '#2b3138', jointFill: '#ffffff' },
  dark: { paper: '#16191d', line: '#d5dae0', soft: '#6d7781', grid: '#4a525a', shadow: '#0c0e10', joint: '#e3e7eb', jointFill: '#1c2025' },
};
