import { forNode } from '../../tsup.base.ts';

export default forNode({
  // src/entry.ts checks the version of Node.js before it loads any package.
  entry: { main: 'src/entry.ts' },
  noExternal: ['@chairside/runtime/enter'],
});
