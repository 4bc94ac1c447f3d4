import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import subsetFont from 'subset-font';
import { defineConfig, type Plugin } from 'vite';

/**
 * Writes `name.br` and `name.gz` beside each script, stylesheet and SVG. The server sends one of them to browsers that
 * accept it. Brotli, which browsers accept over https, makes them a tenth smaller than gzip.
 */
const compressed = (): Plugin => ({
  name: 'compressed-assets',
  writeBundle({ dir = 'dist' }) {
    const folder = join(dir, 'assets');
    for (const name of readdirSync(folder)) {
      if (!/\.(js|css|svg)$/.test(name)) continue;
      const file = join(folder, name);
      const content = readFileSync(file);
      writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
      writeFileSync(`${file}.br`, brotliCompressSync(content));
    }
  },
});

/** The code points of the font: Latin with its accents (U+0020 to U+017F) and the punctuation of the pages. */
const LETTERS = `${String.fromCodePoint(...Array.from({ length: 0x160 }, (_, index) => index + 0x20))}–—‘’“”…€•←→`;
/** The weights of the design, which are a part of those of the font. */
const WEIGHTS = { min: 400, max: 650 };

/** Reduces the font to the letters and weights that the pages use: 27 instead of 48 KiB. */
const smallFont = (): Plugin => ({
  name: 'small-font',
  async generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.woff2')) continue;
      const options = { targetFormat: 'woff2', variationAxes: { wght: WEIGHTS } } as const;
      file.source = await subsetFont(Buffer.from(file.source), LETTERS, options);
    }
  },
});

/**
 * Begins to load the font with the document. Otherwise a browser finds it in the stylesheet, which is so late that the
 * first page is drawn with the font of the system.
 */
const preloadedFont = (): Plugin => ({
  name: 'preloaded-font',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((name) => name.endsWith('.woff2'))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'preload', href: `/${name}`, as: 'font', type: 'font/woff2', crossorigin: true },
          injectTo: 'head-prepend' as const,
        })),
  },
});

export default defineConfig({
  plugins: [
    react(),
    // The pages are in English, so the words of React Aria in other languages are left out.
    { ...optimizeLocales.vite({ locales: ['en-US'] }), enforce: 'pre' },
    smallFont(),
    preloadedFont(),
    compressed(),
  ],
  resolve: { conditions: ['@chairside/source', 'module', 'browser', 'production', 'import', 'default'] },
  build: {
    // The Content-Security-Policy allows neither inline scripts nor `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // All styles are in one small file. So no page waits for a stylesheet of its own, and the order of the rules does
    // not depend on the pages that were opened before.
    cssCodeSplit: false,
    target: 'es2023',
    rolldownOptions: {
      output: {
        // A page loads few files, and little that only others need: one file has what the first page and others share, and
        // one what three other pages or dialogs share.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'start', tags: ['$initial'], minShareCount: 2, priority: 1 },
            { name: 'shared', minShareCount: 3 },
          ],
        },
      },
    },
  },
});
