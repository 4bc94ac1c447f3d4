import { newId } from '@chairside/domain';
import type { OAuthStore } from '@chairside/mongodb/oauth';
import { callers } from './callers.ts';
import type { AuthorizationMetrics, GrantEnd } from './metrics.ts';
import { stored } from './unavailable.ts';

/** Ends a grant, counts this, and leaves an audit entry unless the grant had ended before. */
export type EndGrant = (grantId: string, reason: GrantEnd) => Promise<void>;

export const createEndGrant =
  (
    { grants, trail }: Pick<OAuthStore, 'grants' | 'trail'>,
    { grantEnded }: Pick<AuthorizationMetrics, 'grantEnded'>,
  ): EndGrant =>
  async (grantId, reason) => {
    const connection = await stored(grants.end(grantId));
    grantEnded(reason);
    // What remains of a grant whose connection has expired is removed without an entry, as the database does.
    if (connection === undefined || reason === 'remains') return;
    const { organizationId, clientId, clientName } = connection;
    const { address, requestId } = callers.getStore() ?? { requestId: newId() };
    await stored(
      trail.add(organizationId, {
        action: 'deleted',
        kind: 'connection',
        ids: [grantId],
        changes: [
          { field: 'app', value: clientName },
          { field: 'reason', value: reason },
        ],
        // The app, or someone who has a code or token of the app.
        principal: { kind: 'app', id: clientId },
        ...(address !== undefined && { address }),
        requestId,
        result: 'ok',
      }),
    );
  };
