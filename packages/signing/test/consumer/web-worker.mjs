import vectors from '@chairside/signing/vectors.json';
import * as web from '@chairside/signing/web';
import { judge } from './judge.mjs';

export default {
  async test() {
    await judge('@chairside/signing/web', web, vectors);
  },
};
