import { forNode } from '../../tsup.base.ts';

export default forNode({ entry: ['src/index.ts', 'src/oauth.ts', 'src/schedule.ts'] });
