import { cp } from 'node:fs/promises';
import { forNode } from '../../tsup.base.ts';
import { PAGES } from './src/reference/pages.ts';

export default forNode({
  // dist/main.js checks the version of Node.js before it loads any package: src/entry.ts.
  entry: { main: 'src/entry.ts' },
  noExternal: ['@chairside/runtime/node-version'],
  // The pages that the service serves, beside the program.
  async onSuccess() {
    for (const file of Object.values(PAGES)) await cp(`../../${file}`, `dist/pages/${file}`);
  },
});
