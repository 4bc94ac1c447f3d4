import { defineConfig } from 'tsup';

export default defineConfig({
  // dist/main.js checks the version of Node.js before it loads any package: src/entry.ts.
  entry: { main: 'src/entry.ts' },
  noExternal: ['@chairside/runtime/node-version'],
  format: 'esm',
  target: 'node24',
  clean: true,
});
