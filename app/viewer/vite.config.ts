import { defineConfig, type Plugin } from 'vite';

/** Fonts of KaTeX that our equations use; the others fall back to these. */
const mathFonts = ['Main-Regular', 'Main-Bold', 'Main-Italic', 'Math-Italic', 'AMS-Regular', 'Size1-Regular', 'Size2-Regular', 'Size3-Regular', 'Size4-Regular'];

/** Keeps of KaTeX's style sheet only the fonts in use, and of each only woff2: the bundle carries its fonts. */
function slimMathFonts(): Plugin {
  return {
    name: 'slim-math-fonts',
    enforce: 'pre',
    transform(code, id) {
      if (!/katex(\.min)?\.css/.test(id)) {
        return null;
      }
      return code.replace(/@font-face\s*\{[^}]*\}/g, (face) => {
        const file = /fonts\/KaTeX_([\w-]+)\.woff2/.exec(face)?.[1];
        if (file === undefined || !mathFonts.includes(file)) {
          return '';
        }
        return face.replace(/src:[^;}]*/, `src:url(fonts/KaTeX_${file}.woff2) format("woff2")`);
      });
    },
  };
}

const banner = `/*! Ananke viewer. Contains three.js (MIT), uPlot (MIT), KaTeX (MIT; its fonts SIL OFL 1.1), Source Sans 3 and Source Code Pro (SIL OFL 1.1). */`;

export default defineConfig({
  plugins: [slimMathFonts()],
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    target: 'es2021',
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
    lib: { entry: 'src/main.ts', formats: ['iife'], name: 'Ananke', fileName: () => 'viewer.js', cssFileName: 'viewer' },
    rollupOptions: { output: { banner } },
  },
  test: { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], environment: 'node' },
} as Parameters<typeof defineConfig>[0]);
