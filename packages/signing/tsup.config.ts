import { defineConfig } from 'tsup';

// Three self-contained files of each module kind, because they are easy to read, audit and bundle. tsc creates the
// types (packages/publishing/src/declare-both.ts), because tsup cannot do so with TypeScript 7.
export default defineConfig({
  entry: ['src/index.ts', 'src/web.ts', 'src/browser.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  external: ['node:crypto'],
  splitting: false,
  // Deno and workerd resolve Node's modules only with the prefix `node:`.
  removeNodeProtocol: false,
  sourcemap: true,
  // The package contains the sources.
  esbuildOptions: (options) => Object.assign(options, { sourcesContent: false }),
  clean: true,
});
