/**
 * Codes of the API in words, and what to do about a webhook that failed, for people.
 *
 * @module
 */
import type { WebhookDelivery, WebhookSubscription } from './records.ts';

/** The states of a subscription in words. */
export const STATES: Readonly<Record<WebhookSubscription['state'], string>> = {
  new: 'New',
  healthy: 'Healthy',
  failing: 'Failing',
  slowed: 'Slowed down',
  recovering: 'Recovering',
  disabled: 'Disabled',
  off: 'Off',
  replaced: 'Replaced',
};

/** The outcomes of a delivery in words. */
export const OUTCOMES: Readonly<Record<WebhookDelivery['outcome'], string>> = {
  queued: 'Queued',
  sending: 'Sending',
  succeeded: 'Succeeded',
  failed: 'Failed',
  skipped: 'Skipped',
  interrupted: 'Interrupted',
};

/** The causes of a failed or skipped delivery in words. */
export const CAUSES: Readonly<Record<NonNullable<WebhookDelivery['cause']>, string>> = {
  dns: 'Name lookup failed',
  connect: 'No connection',
  tls: 'TLS failed',
  timeout: 'Timed out',
  reset: 'Connection closed',
  status: 'Refused by status',
  redirect: 'Redirected',
  blocked_address: 'Address blocked',
  protocol: 'Invalid response',
  configuration: 'Unusable subscription',
  subscription_disabled: 'Subscription disabled',
  subscription_gone: 'Subscription deleted',
  event_gone: 'Event expired',
  event_unreadable: 'Event unreadable',
  outbound_off: 'Sending is off',
};

type Cause = NonNullable<WebhookDelivery['cause']>;

/** The part of a delivery that decides what to do about it. */
export type Failure = Pick<WebhookDelivery, 'cause' | 'code' | 'statusCode' | 'outcome'> &
  Partial<Pick<WebhookDelivery, 'kind' | 'responseBody'>>;

/** What happened and what to do about it, for people. */
export type Remedy = { happened: string; remedy: string };

const REDELIVER = 'Then redeliver.';
const TEST_AGAIN = 'Then send another test.';
const PUBLIC_CERTIFICATE = `Install a certificate from a public certification authority. ${REDELIVER}`;
const CHAIN = `Let the receiver send its intermediate certificates. ${REDELIVER}`;
const NO_TLS = `The port speaks no TLS. Correct the port in the subscription's URL, or let the receiver serve HTTPS there. ${REDELIVER}`;
const RECENT_TLS = `Let the receiver support TLS 1.3, or TLS 1.2 with a cipher of ECDHE. ${REDELIVER}`;
const CLOSED = `Look for a crash or a restart in the receiver's log, or for a proxy that closes connections. ${REDELIVER}`;

/** Every cause of a failed or skipped delivery, with what to do about it. */
export const REMEDIES: Readonly<Record<Cause, Remedy>> = {
  dns: {
    happened: 'The host name could not be looked up.',
    remedy: `Check the host name in the subscription's URL and its DNS records. ${REDELIVER}`,
  },
  connect: {
    happened: 'No connection to `address` could be opened.',
    remedy: `Check that the receiver runs, that it listens on the port of the URL, and that its firewall admits this service. ${REDELIVER}`,
  },
  tls: {
    happened: 'The TLS handshake failed.',
    remedy: `Check the receiver's certificate and TLS settings. ${REDELIVER}`,
  },
  timeout: {
    happened: 'The attempt took more than five seconds; `reason` and `timings` show in which phase.',
    remedy: `Let the receiver respond with 2xx at once, and do its work afterwards. ${REDELIVER}`,
  },
  reset: { happened: 'The connection ended before a status line came.', remedy: CLOSED },
  status: {
    happened: 'The receiver responded with `statusCode`.',
    remedy: `Read the response, and look for this time in the receiver's log: it received the webhook and refused it. ${REDELIVER}`,
  },
  redirect: {
    happened: 'The receiver responded with a redirect, which is not followed.',
    remedy: `Set the subscription's URL to the target of the redirect. ${REDELIVER}`,
  },
  blocked_address: {
    happened: 'The host name has an address that webhooks must not be sent to, such as a private one.',
    remedy: `Use a public address, or have the operator of this service allow the network. ${REDELIVER}`,
  },
  protocol: {
    happened: 'The response is not valid HTTP/1.1.',
    remedy: `Check that an HTTP server listens on this port. ${REDELIVER}`,
  },
  configuration: {
    happened: 'Nothing was sent: the stored URL, secret or headers cannot be used.',
    remedy:
      'If `reason` names the headers, set all `headers` of the subscription again. Otherwise delete it and create it again, with a new secret.',
  },
  subscription_disabled: {
    happened: 'Nothing was sent: the subscription was disabled.',
    remedy: 'Repair the receiver, enable the subscription, then redeliver what was skipped.',
  },
  subscription_gone: {
    happened: 'Nothing was sent: the subscription was deleted before.',
    remedy: 'Nothing can be done.',
  },
  event_gone: {
    happened: 'Nothing was sent: the event has expired.',
    remedy: 'Nothing can be done. Read the record instead.',
  },
  event_unreadable: {
    happened: 'Nothing was sent: the stored event cannot be decrypted.',
    remedy:
      'Report the id of the delivery to the operator of this service. Redeliver when the data is restored.',
  },
  outbound_off: {
    happened:
      'Nothing was sent: the operator of this service has discarded the delivery, or this is a copy for tests.',
    remedy: 'Ask the operator of this service. Redeliver what should have been sent.',
  },
};

/** Codes of Node.js or OpenSSL that are more precise than their cause. */
export const REMEDIES_BY_CODE: Readonly<Record<string, string>> = {
  ENOTFOUND: `Correct the host name in the subscription's URL, or add the missing DNS record. ${REDELIVER}`,
  ECONNREFUSED: `Start the receiver, or correct the port in the subscription's URL. ${REDELIVER}`,
  CERT_HAS_EXPIRED: `Renew the receiver's certificate. ${REDELIVER}`,
  CERT_NOT_YET_VALID: `Check the clock of the receiver and the dates of its certificate. ${REDELIVER}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: PUBLIC_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: PUBLIC_CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CHAIN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CHAIN,
  ERR_TLS_CERT_ALTNAME_INVALID: `Install a certificate for the host name of the URL, or correct the URL. ${REDELIVER}`,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_HTTP_REQUEST: NO_TLS,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: RECENT_TLS,
  ERR_SSL_UNSUPPORTED_PROTOCOL: RECENT_TLS,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: RECENT_TLS,
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': RECENT_TLS,
};

/** Status codes for which more is known than that the receiver refused the webhook. */
export const REMEDIES_BY_STATUS: readonly { statuses: readonly number[]; remedy: string }[] = [
  {
    statuses: [400, 401, 403],
    remedy: `The receiver refuses the webhook. Check that it verifies the signature of the raw body with the secret of this subscription; its response may say why it refuses. ${REDELIVER}`,
  },
  {
    statuses: [404, 405, 410],
    remedy: `Correct the path in the subscription's URL, or let the receiver accept POST there. ${REDELIVER}`,
  },
  { statuses: [413], remedy: `Let the receiver accept larger bodies. ${REDELIVER}` },
  {
    statuses: [429],
    remedy: 'The receiver limits how often it is called. Raise its limit, then redeliver in short periods.',
  },
];

const RAW_BODY = `Give the verification the received bytes, before any parser. ${REDELIVER}`;
const SECRET = `Give the receiver the whole secret of this subscription, with \`whsec_\`. ${REDELIVER}`;
const SCHEME = `Look for a proxy in front of the receiver that removes or joins the header \`X-Service-Signature\`. ${REDELIVER}`;
const CLOCK = `Set the clock of the receiver, which must be right to five minutes. ${REDELIVER}`;
const OWN_CODE = `Correct the call of \`@chairside/signing\`; the message of the error in the receiver's log says how. ${REDELIVER}`;

/** The codes of `@chairside/signing` with which a receiver responds that refuses a webhook. */
export const REMEDIES_BY_SIGNING_CODE: Readonly<Record<string, string>> = {
  mismatch: `The receiver verified another body or with another secret. Give the verification the received bytes, before any parser, and the secret of this subscription. ${REDELIVER}`,
  bad_secret: SECRET,
  body_not_raw: RAW_BODY,
  missing_header: SCHEME,
  unknown_subscription:
    'Give the receiver the secret of this subscription, under its id: `X-Service-Subscription-Id` names it. Then redeliver.',
  malformed_header: SCHEME,
  no_signature: SCHEME,
  too_old: CLOCK,
  too_new: CLOCK,
  bad_json: `Update \`@chairside/signing\` in the receiver: it does not know this event. ${REDELIVER}`,
  bad_option: OWN_CODE,
  no_crypto: OWN_CODE,
};
const SERVER_ERROR = `Look for this time in the receiver's log: it failed. Repair it. ${REDELIVER}`;

const INTERRUPTED =
  'It is unknown whether the webhook arrived. Redeliver it: a receiver recognizes an event that it has by its id.';

const ofStatus = (status: number): string | undefined =>
  REMEDIES_BY_STATUS.find(({ statuses }) => statuses.includes(status))?.remedy ??
  (status >= 500 ? SERVER_ERROR : undefined);

/** What to do if the response is nothing but a code of `@chairside/signing`, as those of our recipes are. */
const ofSigningCode = (responseBody: string | undefined): string | undefined => {
  const code = responseBody?.trim() ?? '';
  return Object.hasOwn(REMEDIES_BY_SIGNING_CODE, code) ? REMEDIES_BY_SIGNING_CODE[code] : undefined;
};

/**
 * What to do about a delivery that failed, was skipped or was interrupted, as a sentence for people. The wording may
 * change.
 *
 * @returns undefined if there is nothing to do, or if the cause is unknown to this version
 */
export const remedyOf = ({
  cause,
  code,
  statusCode,
  outcome,
  kind,
  responseBody,
}: Failure): string | undefined => {
  if (outcome === 'interrupted') return INTERRUPTED;
  if (cause === undefined) return undefined;
  const byStatus =
    cause === 'status' && statusCode !== undefined
      ? (ofSigningCode(responseBody) ?? ofStatus(statusCode))
      : undefined;
  const known: Remedy | undefined = REMEDIES[cause];
  const remedy = byStatus ?? (code === undefined ? undefined : REMEDIES_BY_CODE[code]) ?? known?.remedy;
  return kind === 'test' ? remedy?.replace(REDELIVER, TEST_AGAIN) : remedy;
};
