/*
 * The documents that only the authorization server reads and writes. Codes, tokens and interactions are found by the
 * hash of their value, and their content is encrypted. So a copy of the database contains no value that can be used.
 */

/** A code, a token, a grant or an interaction of the authorization server, or the last valid document of a client. */
export type OAuthStateDocument = {
  /** Consists of the kind and the SHA-256 of the value. */
  _id: string;
  /** The kind of object, such as `AccessToken`. */
  kind: string;
  /** The content, encrypted with the keys of `OAUTH_KEYS`. */
  payload: string;
  /** The grant that the object belongs to. */
  grantId?: string;
  /** When a code, a refresh token or the request of an app was used. Each can be used only once. */
  consumedTime?: Date;
  expireAt: Date;
};

/** An app that has registered itself. */
export type OAuthClientDocument = {
  /** The id of the client, which is public. */
  _id: string;
  /** The client's metadata. It is encrypted, because some clients have a secret. */
  payload: string;
  createdTime: Date;
  /** The SHA-256 of the network from which the client was registered. It is deleted when the client is first used. */
  network?: string;
  /** When the client is deleted. Each new token of the client postpones this time. */
  expireAt: Date;
};

/** Counts the requests of one kind and one caller in one period. */
export type OAuthLimitDocument = {
  /** Consists of the kind, the SHA-256 of the caller, and the start of the period. */
  _id: string;
  count: number;
  expireAt: Date;
};
