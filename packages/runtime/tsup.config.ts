import { forNode } from '../../tsup.base.ts';

export default forNode({
  entry: ['src/index.ts', 'src/enter.ts', 'src/node-version.ts'],
});
