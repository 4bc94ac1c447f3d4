import { defineConfig } from 'tsup';

export default defineConfig({
  // The watchdog runs as a process of its own and is found beside the entry: src/program.ts.
  entry: ['src/index.ts', 'src/watchdog-process.ts'],
  format: 'esm',
  target: 'node24',
  clean: true,
});
