import { defineConfig } from 'tsup';

// For each module kind, three self-contained files are built, because they are easy to read, audit and bundle. tsc
// creates the types (packages/publishing/src/declare-both.ts), because tsup cannot create them with TypeScript 7.
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
  // The source maps do not embed the sources, because the package contains the sources as files.
  esbuildOptions: (options) => Object.assign(options, { sourcesContent: false }),
  clean: true,
});
