import { cp } from 'node:fs/promises';
import { defineConfig } from 'tsup';
import { PAGES } from './src/reference/pages.ts';

export default defineConfig({
  // dist/main.js checks the version of Node.js before it loads any package: src/entry.ts.
  entry: { main: 'src/entry.ts' },
  noExternal: ['@chairside/runtime/node-version'],
  format: 'esm',
  target: 'node24',
  clean: true,
  // The pages that the service serves, beside the program.
  async onSuccess() {
    for (const file of Object.values(PAGES)) await cp(`../../${file}`, `dist/pages/${file}`);
  },
});
