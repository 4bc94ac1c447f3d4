import type { OAuthStore } from '@chairside/mongodb/oauth';
import type { Account, FindAccount } from 'oidc-provider';
import type { AdapterEvents } from './adapter.ts';
import { stored } from './unavailable.ts';

/** The operator of a grant, with the organization that its tokens are for. */
export type GrantAccount = Account & { organizationId: string | undefined };

const accountOf = (accountId: string, organizationId?: string): GrantAccount => ({
  accountId,
  organizationId,
  claims: async () => ({ sub: accountId }),
});

/**
 * Finds the operator of a grant, in the present state. Nobody is found without a grant, and no operator who could not
 * grant it now: then the grant ends.
 */
export const findAccountWith =
  ({ grants }: OAuthStore, { grantEnded }: AdapterEvents): FindAccount =>
  async ({ oidc }, sub, token) => {
    const consent = (oidc.result as { consent?: { grantId?: string } } | undefined)?.consent;
    const grantId = (token as { grantId?: string } | undefined)?.grantId ?? consent?.grantId;
    if (grantId === undefined) return undefined;
    const standing = await stored(grants.standing(grantId, new Date()));
    switch (standing.state) {
      case 'live': {
        const { operatorId, organizationId } = standing.connection;
        return operatorId === sub ? accountOf(sub, organizationId) : undefined;
      }
      case 'missing':
        // A concurrent exchange of the same code has ended the grant. The tokens of this one are of no use, but of any
        // number of exchanges one must succeed.
        if (token?.kind === 'AuthorizationCode') return accountOf(sub);
        await stored(grants.end(grantId));
        grantEnded('remains');
        return undefined;
      case 'operatorChanged':
        await stored(grants.end(grantId));
        grantEnded('operator');
        return undefined;
    }
  };
