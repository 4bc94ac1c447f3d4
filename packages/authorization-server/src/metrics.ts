/**
 * Why the authorization server has ended a grant. `replay`: a code or a refresh token was used twice. `revoked`: an app
 * revoked a token. `operator`: the operator's access has changed. `remains`: the connection was gone, and what was left
 * of the grant was removed.
 */
export const grantEnds = ['replay', 'revoked', 'operator', 'remains'] as const;
export type GrantEnd = (typeof grantEnds)[number];

/** How an introspection of a token by the connector ended. `refused`: the secret of the connector is wrong. */
export const introspectionResults = ['active', 'inactive', 'refused', 'failed'] as const;
export type IntrospectionResult = (typeof introspectionResults)[number];

/** The metrics of the authorization server. */
export type AuthorizationMetrics = {
  /** A request failed because of a bug. */
  faulted(): void;
  /** The connector introspected a token. */
  introspected(result: IntrospectionResult): void;
  grantEnded(reason: GrantEnd): void;
  clientRegistered(): void;
  /** A limit of the authorization server was exceeded. A request was refused, or an unused client was deleted. */
  oauthLimited(limit: string): void;
};
