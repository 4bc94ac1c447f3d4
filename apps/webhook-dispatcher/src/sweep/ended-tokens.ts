import type { EveryProgramToken } from '@chairside/mongodb';
import type { SweepPart } from './part.ts';

/** Maximum number of tokens that one step deletes. */
const MAX_TOKENS = 100;

export type EndedTokensOptions = { programTokens: Pick<EveryProgramToken, 'deleteExpired'> };

/**
 * Deletes the program tokens whose lifetime is over. An index of the database could delete them, too, but it would leave
 * no audit entry.
 */
export const endedTokens = ({ programTokens }: EndedTokensOptions): SweepPart => ({
  name: 'programTokens',
  async round({ now, mayContinue }) {
    while ((await programTokens.deleteExpired(now(), MAX_TOKENS)) > 0 && mayContinue());
    return undefined;
  },
});
