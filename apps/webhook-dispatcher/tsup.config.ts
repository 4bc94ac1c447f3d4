import { forNode } from '../../tsup.base.ts';

export default forNode({
  // src/entry.ts checks the version of Node.js before it loads any package, so the check itself must be bundled.
  entry: { main: 'src/entry.ts' },
  noExternal: ['@chairside/runtime/enter'],
});
