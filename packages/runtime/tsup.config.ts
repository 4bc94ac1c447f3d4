import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/node-version.ts'],
  format: 'esm',
  target: 'node24',
  clean: true,
});
