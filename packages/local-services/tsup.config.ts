import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    // Runs as a process of its own and is found beside the entry: src/sources/downloaded-mongodb.ts.
    'mongod-download-process': 'src/sources/mongod-download-process.ts',
  },
  format: 'esm',
  target: 'node24',
  clean: true,
});
