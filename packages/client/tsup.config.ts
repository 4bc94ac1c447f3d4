import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

// tsc creates the types (packages/publishing/src/declare-both.ts), because tsup cannot create them with TypeScript 7.
export default defineConfig({
  entry: ['src/index.ts', 'src/every-clinic.ts', 'src/words.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  splitting: false,
  define: { CHAIRSIDE_CLIENT_VERSION: JSON.stringify(version) },
  sourcemap: true,
  // The source maps do not embed the sources, because the package contains the sources as files.
  esbuildOptions: (options) => Object.assign(options, { sourcesContent: false }),
  clean: true,
});
