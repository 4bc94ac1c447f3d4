import { newId } from '@chairside/domain';
import type { ConnectionDocument, OAuthStore } from '@chairside/mongodb/oauth';
import { callers } from './callers.ts';
import type { AuthorizationMetrics, GrantEnd } from './metrics.ts';
import { stored } from './unavailable.ts';

const addEntry = (
  trail: OAuthStore['trail'],
  { _id, organizationId, clientId, clientName }: ConnectionDocument,
  reason: GrantEnd,
): Promise<void> => {
  const { address, requestId } = callers.getStore() ?? { requestId: newId() };
  return stored(
    trail.addUnique(organizationId, `ended-${_id}`, {
      action: 'deleted',
      kind: 'connection',
      ids: [_id],
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

/** Ends a grant, counts this, and leaves an audit entry unless the grant had ended before. */
export type EndGrant = (grantId: string, reason: GrantEnd) => Promise<void>;

export const createEndGrant =
  (
    { grants, trail }: Pick<OAuthStore, 'grants' | 'trail'>,
    { grantEnded }: Pick<AuthorizationMetrics, 'grantEnded'>,
  ): EndGrant =>
  async (grantId, reason) => {
    // What remains of a grant whose connection has expired is removed without an entry, as the database does.
    const connection = reason === 'remains' ? undefined : await stored(grants.find(grantId));
    // The entry is stored first, so that no failure in between loses it. Concurrent and repeated calls leave only one.
    if (connection !== undefined) await addEntry(trail, connection, reason);
    await stored(grants.end(grantId));
    grantEnded(reason);
  };
