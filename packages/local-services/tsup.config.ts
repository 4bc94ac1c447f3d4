import { defineConfig } from 'tsup';

export default defineConfig({
  // The programs that run as processes of their own are found beside the entry: src/program-path.ts.
  entry: ['src/index.ts', 'src/watchdog-process.ts', 'src/mongod-download-process.ts'],
  format: 'esm',
  target: 'node24',
  clean: true,
});
