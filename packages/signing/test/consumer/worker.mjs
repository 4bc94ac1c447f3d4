import * as synchronous from '@chairside/signing';
import vectors from '@chairside/signing/vectors.json';
import * as web from '@chairside/signing/web';
import { checkErrors, judge } from './judge.mjs';

export default {
  async test() {
    await judge('@chairside/signing', synchronous, vectors);
    await judge('@chairside/signing/web', web, vectors);
    checkErrors(synchronous.SignatureError, web.SignatureError);
  },
};
