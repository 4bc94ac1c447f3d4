import * as client from '@chairside/client';
import { judge } from './judge.mjs';

export default {
  async test() {
    await judge(client);
  },
};
