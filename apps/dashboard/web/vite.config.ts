import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Writes `name.gz` beside each script, stylesheet and SVG. The server sends this file to browsers that accept gzip. */
const compressed = (): Plugin => ({
  name: 'compressed-assets',
  writeBundle({ dir = 'dist' }) {
    const folder = join(dir, 'assets');
    for (const name of readdirSync(folder)) {
      if (!/\.(js|css|svg)$/.test(name)) continue;
      const file = join(folder, name);
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
    }
  },
});

export default defineConfig({
  plugins: [react(), compressed()],
  resolve: { conditions: ['@chairside/source', 'module', 'browser', 'production', 'import', 'default'] },
  build: {
    // The Content-Security-Policy allows neither inline scripts nor `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // All styles are in one small file. So no page waits for a stylesheet of its own, and the order of the rules does
    // not depend on the pages that were opened before.
    cssCodeSplit: false,
    target: 'es2023',
  },
});
