import { forNode } from '../../tsup.base.ts';

export default forNode({
  // dist/main.js checks the version of Node.js before it loads any package: src/entry.ts.
  entry: { main: 'src/entry.ts' },
  noExternal: ['@chairside/runtime/node-version'],
});
