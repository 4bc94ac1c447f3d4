import { cp } from 'node:fs/promises';
import { defineConfig } from 'tsup';
import { PAGES } from './src/reference/pages.ts';

export default defineConfig({
  entry: ['src/main.ts'],
  format: 'esm',
  target: 'node24',
  clean: true,
  // The pages that the service serves, beside the program.
  async onSuccess() {
    for (const file of Object.values(PAGES)) await cp(`../../${file}`, `dist/pages/${file}`);
  },
});
