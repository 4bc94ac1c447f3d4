/**
 * Why the authorization server has ended a grant. `replay`: a code or a refresh token was used twice. `revoked`: an app
 * revoked a token. `operator`: the operator's access has changed. `remains`: the connection was gone, and what was left
 * of the grant was removed.
 */
export type GrantEnd = 'replay' | 'revoked' | 'operator' | 'remains';

/** The metrics of the authorization server. */
export type AuthorizationMetrics = {
  /** The connector introspected a token. `refused`: the secret of the connector is wrong. */
  introspected(result: 'active' | 'inactive' | 'refused' | 'failed'): void;
  grantEnded(reason: GrantEnd): void;
  clientRegistered(): void;
  /** A limit of the authorization server was exceeded. A request was refused, or an unused client was deleted. */
  oauthLimited(limit: string): void;
};
