import { cp } from 'node:fs/promises';
import { forNode } from '../../tsup.base.ts';
import { PAGES } from './src/reference/pages.ts';

export default forNode({
  // src/entry.ts checks the version of Node.js before it loads any package, so the check itself must be bundled.
  entry: { main: 'src/entry.ts' },
  noExternal: ['@chairside/runtime/enter'],
  // Copies the pages that the api serves next to the program.
  async onSuccess() {
    for (const file of Object.values(PAGES)) await cp(`../../${file}`, `dist/pages/${file}`);
  },
});
