import { cliOf, type TestStore } from '@chairside/test-support';
import { run } from '../src/run.ts';

/** The command line on this store. `run` runs a command in this process, and `start` starts one. */
export const adminOf = (store: Pick<TestStore, 'url' | 'encryptionKeys'>) => cliOf(store, run);
