import { forNode } from '../../tsup.base.ts';

export default forNode();
