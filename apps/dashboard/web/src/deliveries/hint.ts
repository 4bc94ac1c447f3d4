import type { WebhookDelivery } from '@chairside/client';

type Cause = NonNullable<WebhookDelivery['cause']>;

const REDELIVER = 'Then redeliver.';

/** What to do about each cause, for the people who operate the receiver or the subscription. */
const BY_CAUSE: Readonly<Record<Cause, string>> = {
  dns: `Check the host name in the subscription’s URL and its DNS records. ${REDELIVER}`,
  connect: `Check that the receiver runs, listens on the port of the URL, and that its firewall admits this service. ${REDELIVER}`,
  tls: `Check the receiver’s certificate and TLS settings. ${REDELIVER}`,
  timeout: `Let the receiver respond with 2xx at once and do its work afterwards. ${REDELIVER}`,
  reset: `Look for a crash or a restart in the receiver’s log, or for a proxy that closes idle connections. ${REDELIVER}`,
  status: `Look for this time in the receiver’s log: it received the webhook and refused it. ${REDELIVER}`,
  redirect: 'Set the subscription’s URL to the address that the redirect names. Then redeliver.',
  blocked_address: `The URL leads to a private or reserved address. Use a public address, or have the operator of this service allow the network. ${REDELIVER}`,
  protocol: `Check that an HTTP server listens on this port, and that its response is valid HTTP/1.1. ${REDELIVER}`,
  configuration: 'Delete the subscription and create it again, with a new secret.',
  subscription_disabled: 'Repair the receiver, enable the subscription, then redeliver what was skipped.',
  subscription_gone: 'Nothing can be done: the subscription was deleted before the webhook was sent.',
  event_gone: 'Nothing can be done: the event has expired.',
};

/** What to do about a code of Node.js or OpenSSL, if the code is more precise than the cause. */
const BY_CODE: Readonly<Record<string, string>> = {
  ENOTFOUND: `Correct the host name in the subscription’s URL, or add the missing DNS record. ${REDELIVER}`,
  ECONNREFUSED: `Start the receiver, or correct the port in the subscription’s URL. ${REDELIVER}`,
  CERT_HAS_EXPIRED: `Renew the receiver’s certificate. ${REDELIVER}`,
  CERT_NOT_YET_VALID: `Check the clock of the receiver and the dates of its certificate. ${REDELIVER}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: `Install a certificate from a public certification authority. ${REDELIVER}`,
  SELF_SIGNED_CERT_IN_CHAIN: `Install a certificate from a public certification authority. ${REDELIVER}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `Let the receiver send its intermediate certificates. ${REDELIVER}`,
  ERR_TLS_CERT_ALTNAME_INVALID: `Install a certificate for the host name of the URL, or correct the URL. ${REDELIVER}`,
};

const ofStatus = (status: number): string | undefined => {
  if (status === 401 || status === 403)
    return `The receiver refuses the webhook. Check that it verifies the signature with the secret of this subscription. ${REDELIVER}`;
  if (status === 404 || status === 405 || status === 410)
    return `Correct the path in the subscription’s URL, or let the receiver accept POST there. ${REDELIVER}`;
  if (status === 413) return `Let the receiver accept larger bodies. ${REDELIVER}`;
  if (status === 429)
    return 'The receiver limits how often it is called. Raise its limit, then redeliver in small time ranges.';
  if (status >= 500) return `Look for this time in the receiver’s log: it failed. Repair it. ${REDELIVER}`;
  return undefined;
};

/** What to do about a delivery that failed, was skipped or was interrupted; otherwise undefined. */
export const hintOf = ({
  cause,
  code,
  statusCode,
  outcome,
}: Pick<WebhookDelivery, 'cause' | 'code' | 'statusCode' | 'outcome'>): string | undefined => {
  if (outcome === 'interrupted')
    return 'It is unknown whether the webhook arrived. Redeliver it: receivers recognize an event that they have by its id.';
  if (cause === undefined) return undefined;
  const byStatus = cause === 'status' && statusCode !== undefined ? ofStatus(statusCode) : undefined;
  return byStatus ?? (code === undefined ? undefined : BY_CODE[code]) ?? BY_CAUSE[cause];
};
