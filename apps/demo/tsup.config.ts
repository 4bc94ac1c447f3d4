import { forNode } from '../../tsup.base.ts';

export default forNode({
  entry: ['src/main.ts'],
});
