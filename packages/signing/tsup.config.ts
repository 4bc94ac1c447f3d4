import { defineConfig } from 'tsup';

// Three files of each kind, each whole in itself: easy to read, to audit and to bundle.
// Types come from tsc (scripts/declare-both.ts); tsup cannot make them with TypeScript 7.
export default defineConfig({
  entry: ['src/index.ts', 'src/web.ts', 'src/browser.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  external: ['node:crypto'],
  splitting: false,
  // Deno and workerd know Node's modules by their prefix only.
  removeNodeProtocol: false,
  sourcemap: true,
  // The sources are in the package themselves.
  esbuildOptions: (options) => Object.assign(options, { sourcesContent: false }),
  clean: true,
});
