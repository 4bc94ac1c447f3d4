/*
 * The documents that only the authorization server reads and writes. Codes, tokens and interactions are found by the
 * hash of their value, and their content is encrypted: a copy of the database contains none that can be used.
 */

/** A code, a token, a grant or an interaction of the authorization server. */
export type OAuthStateDocument = {
  /** The kind, and the SHA-256 of the value. */
  _id: string;
  /** Such as `AccessToken`. */
  kind: string;
  /** The content, encrypted with the keys of `OAUTH_KEYS`. */
  payload: string;
  /** The grant that it belongs to. */
  grantId?: string;
  /** When a code or a refresh token was used. It can be used once. */
  consumedTime?: Date;
  expireAt: Date;
};

/** An app that has registered itself. */
export type OAuthClientDocument = {
  /** The id of the client, which is public. */
  _id: string;
  /** The client's metadata, encrypted, because some clients have a secret. */
  payload: string;
  createdTime: Date;
  /** Soon after the registration; later after the last use. */
  expireAt: Date;
};

/** The requests of one kind in one period of time. */
export type OAuthLimitDocument = {
  /** The kind, the SHA-256 of the caller, and the begin of the period. */
  _id: string;
  count: number;
  expireAt: Date;
};
