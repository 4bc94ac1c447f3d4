import { clock } from '@chairside/domain';
import type { OAuthStore } from '@chairside/mongodb/oauth';
import type { Account, FindAccount } from 'oidc-provider';
import type { EndGrant } from './ended-grants.ts';
import { stored } from './unavailable.ts';

/** The operator who granted the access, with the organization that the tokens of the grant are for. */
export type GrantAccount = Account & { organizationId: string | undefined };

const accountOf = (accountId: string, organizationId?: string): GrantAccount => ({
  accountId,
  organizationId,
  claims: async () => ({ sub: accountId }),
});

/**
 * Finds the operator of a grant. Returns undefined if there is no live grant of this operator. If the grant has ended
 * or the operator's access has changed, it also removes what is left of the grant. Exception: an authorization code
 * whose grant has ended still has an operator (see below), and nothing is removed.
 */
export const findAccountWith =
  ({ grants }: OAuthStore, endGrant: EndGrant): FindAccount =>
  async ({ oidc }, sub, token) => {
    const consent = (oidc.result as { consent?: { grantId?: string } } | undefined)?.consent;
    const grantId = (token as { grantId?: string } | undefined)?.grantId ?? consent?.grantId;
    if (grantId === undefined) return undefined;
    const standing = await stored(grants.standing(grantId, clock.now()));
    switch (standing.state) {
      case 'live': {
        const { operatorId, organizationId } = standing.connection;
        return operatorId === sub ? accountOf(sub, organizationId) : undefined;
      }
      case 'missing':
        // A concurrent exchange of the same code may have ended the grant. The tokens of this exchange are useless, but
        // one of the concurrent exchanges must succeed.
        if (token?.kind === 'AuthorizationCode') return accountOf(sub);
        await endGrant(grantId, 'remains');
        return undefined;
      case 'operatorChanged':
        await endGrant(grantId, 'operator');
        return undefined;
    }
  };
