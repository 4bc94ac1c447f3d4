import { forNode } from '../../tsup.base.ts';

export default forNode({
  entry: {
    index: 'src/index.ts',
    'oauth-store': 'src/stores/oauth-store.ts',
    'schedule-store': 'src/stores/schedule-store.ts',
  },
});
