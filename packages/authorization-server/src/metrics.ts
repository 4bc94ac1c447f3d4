/** The metrics of the authorization server. */
export type AuthorizationMetrics = {
  /** The connector introspected a token. `refused`: its secret is wrong. */
  introspected(result: 'active' | 'inactive' | 'refused' | 'failed'): void;
  /**
   * The authorization server has ended a grant. `replay`: a code or a refresh token was used twice. `operator`: the
   * operator's access has changed. `remains`: the connection was gone, and what was left of the grant was removed.
   */
  grantEnded(reason: 'replay' | 'revoked' | 'operator' | 'remains'): void;
  /** An app has registered itself. */
  clientRegistered(): void;
  /** A request was refused because of a limit of the authorization server. */
  oauthLimited(limit: string): void;
};
