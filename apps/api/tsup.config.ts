import { cp } from 'node:fs/promises';
import base from '../../tsup.base.ts';
import { PAGES } from './src/reference/pages.ts';

export default {
  ...base,
  // Copies the pages that the api serves next to the program.
  async onSuccess() {
    for (const file of Object.values(PAGES)) await cp(`../../${file}`, `dist/pages/${file}`);
  },
};
