import { clock, type FailureCause } from '@chairside/domain';
import type { ConnectPhase } from './connect.ts';

/** The causes of an attempt that ended without a status line and did not time out. */
type ErrorCause = Exclude<FailureCause, 'status' | 'redirect' | 'timeout'>;

/** The description of a failed attempt: a sentence for people, and the code of the error for programs. */
export type FailureReason = { reason: string; code?: string };

/** A sentence for each known code, and one for all other codes. */
type Reasons = { otherwise: string; byCode?: Readonly<Record<string, string>> };

const NO_SUCH_NAME = 'The host name of the URL does not exist.';
const NO_ADDRESS = 'The host name of the URL has no address.';
const LOOKUP_FAILED = 'The name servers of the host name reported an error.';
const NO_ROUTE = "The receiver's address is unreachable over the network.";
const CLOSED = 'The receiver closed the connection before it sent a response.';
const CLOSED_IN_TLS = 'The receiver closed the connection during the TLS handshake.';
const NO_TLS = 'The receiver does not support TLS on this port.';
const INCOMPLETE_CHAIN =
  "The issuer of the receiver's certificate is unknown. The receiver must send its intermediate certificates.";
const OTHER_HOST = "The receiver's certificate is for another host name.";
const TLS_VERSION = 'The receiver does not support TLS 1.2 or TLS 1.3, one of which is required.';
const NO_COMMON_CIPHER = 'The receiver and this service have no TLS cipher or protocol in common.';
const WEAK_KEY = "The receiver's TLS key is too short.";
const CLIENT_CERTIFICATE = 'The receiver requires a client certificate, but webhooks are sent without one.';
const NOT_HTTP = "The receiver's response is not valid HTTP/1.1.";
const BAD_HEADER = "The receiver's response has an invalid header.";
const LARGE_HEADERS = "The headers of the receiver's response are too large.";
const BAD_LENGTH = "The receiver's response has an invalid Content-Length or Transfer-Encoding.";
const OUR_FIREWALL = 'A firewall of this service blocks the connection.';
const UNTRUSTED = "The receiver's certificate is not trusted.";
const OUR_SOCKETS = 'This service had no free socket for the connection.';

/** The reason if no valid request can be built. */
export const UNUSABLE = 'No valid request can be built from the stored subscription.';

const reasons: Readonly<Record<ErrorCause, Reasons>> = {
  dns: {
    otherwise: 'The host name of the URL could not be looked up.',
    byCode: {
      ENOTFOUND: NO_SUCH_NAME,
      EAI_NONAME: NO_SUCH_NAME,
      ENODATA: NO_ADDRESS,
      EAI_NODATA: NO_ADDRESS,
      EAI_AGAIN: 'No name server responded to the lookup of the host name.',
      EAI_FAIL: LOOKUP_FAILED,
      ESERVFAIL: LOOKUP_FAILED,
      EREFUSED: LOOKUP_FAILED,
    },
  },
  connect: {
    otherwise: 'The connection to the receiver could not be opened.',
    byCode: {
      ECONNREFUSED:
        'The receiver refused the connection. Either no server listens on this port, or a firewall rejects it.',
      ECONNRESET: 'The receiver closed the connection while it was being opened.',
      ETIMEDOUT: "The receiver's address did not respond.",
      EHOSTUNREACH: NO_ROUTE,
      ENETUNREACH: NO_ROUTE,
      EHOSTDOWN: NO_ROUTE,
      EACCES: OUR_FIREWALL,
      EPERM: OUR_FIREWALL,
      EMFILE: OUR_SOCKETS,
      ENFILE: OUR_SOCKETS,
      EADDRNOTAVAIL: OUR_SOCKETS,
    },
  },
  tls: {
    otherwise: 'The TLS handshake with the receiver failed.',
    byCode: {
      DEPTH_ZERO_SELF_SIGNED_CERT: "The receiver's certificate is self-signed.",
      SELF_SIGNED_CERT_IN_CHAIN:
        "The receiver's certificate chain ends in a certification authority that is not trusted.",
      UNABLE_TO_VERIFY_LEAF_SIGNATURE: INCOMPLETE_CHAIN,
      UNABLE_TO_GET_ISSUER_CERT: INCOMPLETE_CHAIN,
      UNABLE_TO_GET_ISSUER_CERT_LOCALLY: INCOMPLETE_CHAIN,
      CERT_HAS_EXPIRED: "The receiver's certificate has expired.",
      CERT_NOT_YET_VALID: "The receiver's certificate is not yet valid.",
      CERT_REVOKED: "The receiver's certificate was revoked.",
      CERT_UNTRUSTED: UNTRUSTED,
      CERT_REJECTED: UNTRUSTED,
      CERT_SIGNATURE_FAILURE: "The signature of the receiver's certificate is invalid.",
      CERT_CHAIN_TOO_LONG: "The receiver's certificate chain is too long.",
      INVALID_CA: "An issuer of the receiver's certificate may not issue certificates.",
      INVALID_PURPOSE: "The receiver's certificate is not a server certificate.",
      HOSTNAME_MISMATCH: OTHER_HOST,
      ERR_TLS_CERT_ALTNAME_INVALID: OTHER_HOST,
      ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
      ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
      ERR_SSL_HTTP_REQUEST: NO_TLS,
      EPROTO: 'The receiver violated the TLS protocol.',
      ERR_SSL_UNSUPPORTED_PROTOCOL: TLS_VERSION,
      ERR_SSL_NO_PROTOCOLS_AVAILABLE: TLS_VERSION,
      ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: TLS_VERSION,
      ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: NO_COMMON_CIPHER,
      'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': NO_COMMON_CIPHER,
      ERR_SSL_NO_SHARED_CIPHER: NO_COMMON_CIPHER,
      ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY: NO_COMMON_CIPHER,
      ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'The receiver has no certificate for this host name.',
      ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR: 'The receiver reported an internal error in the TLS handshake.',
      ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: CLIENT_CERTIFICATE,
      ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: CLIENT_CERTIFICATE,
      ERR_SSL_DH_KEY_TOO_SMALL: WEAK_KEY,
      ERR_SSL_EE_KEY_TOO_SMALL: WEAK_KEY,
      ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED:
        'The receiver supports only insecure TLS renegotiation, which is not accepted here.',
      ECONNRESET: CLOSED_IN_TLS,
      EPIPE: CLOSED_IN_TLS,
    },
  },
  reset: {
    otherwise: 'The connection failed before the receiver sent a response.',
    byCode: {
      ECONNRESET: CLOSED,
      EPIPE: CLOSED,
      ETIMEDOUT: 'The connection failed because the receiver did not acknowledge the sent data.',
      EHOSTUNREACH: NO_ROUTE,
      ENETUNREACH: NO_ROUTE,
    },
  },
  protocol: {
    otherwise: NOT_HTTP,
    byCode: {
      HPE_INVALID_CONSTANT: "The receiver's response does not begin with an HTTP status line.",
      HPE_INVALID_VERSION: "The receiver's response has an unsupported HTTP version.",
      HPE_INVALID_STATUS: "The receiver's response has an invalid status code.",
      HPE_INVALID_HEADER_TOKEN: BAD_HEADER,
      HPE_CR_EXPECTED: BAD_HEADER,
      HPE_LF_EXPECTED: BAD_HEADER,
      HPE_HEADER_OVERFLOW: LARGE_HEADERS,
      HPE_INVALID_CONTENT_LENGTH: BAD_LENGTH,
      HPE_UNEXPECTED_CONTENT_LENGTH: BAD_LENGTH,
      HPE_INVALID_TRANSFER_ENCODING: BAD_LENGTH,
      HPE_INVALID_CHUNK_SIZE: BAD_LENGTH,
    },
  },
  // The sentence names no address. Otherwise customers could resolve the names of our internal network.
  blocked_address: {
    otherwise:
      'The URL points to an address to which webhooks are not allowed, such as a private or loopback address.',
  },
  configuration: {
    otherwise: UNUSABLE,
  },
};

/** The reason of a timeout, by the phase in which it happened. */
const timeoutReasons: Readonly<Record<ConnectPhase, string>> = {
  lookup: 'The lookup of the host name did not finish in time.',
  connect: 'The receiver did not accept the connection in time.',
  tls: 'The TLS handshake with the receiver did not finish in time.',
  open: 'The receiver did not send a status line in time.',
};

/** The form of an error code. Any other text could come from the receiver. */
const CODE = /^[A-Z][A-Z0-9_/]{1,79}$/;

/** Codes of the HTTP client that mean the same as a code of Node.js. */
const SAME_CODES: Readonly<Record<string, string>> = { UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW' };

/** Returns the error to report. If several addresses were tried, it is the error of the last one. */
const decisive = (error: Error): NodeJS.ErrnoException =>
  error instanceof AggregateError ? (error.errors.at(-1) ?? error) : error;

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The validity of a certificate, in the format of Node.js: `May  3 12:00:00 2030 GMT`. */
type Validity = { valid_from: string; valid_to: string };

/**
 * Returns the sentence with the date on which the certificate expired or becomes valid. Returns undefined for other
 * codes. It also returns undefined if an issuer's certificate has the problem, and not this one.
 */
const datedReason = (code: string, certificate: Validity): string | undefined => {
  const [from, to] = [Date.parse(certificate.valid_from), Date.parse(certificate.valid_to)];
  const now = clock.now().getTime();
  if (code === 'CERT_HAS_EXPIRED' && to <= now)
    return `The receiver's certificate expired on ${DATE.format(to)}.`;
  if (code === 'CERT_NOT_YET_VALID' && from > now)
    return `The receiver's certificate is not valid before ${DATE.format(from)}.`;
  return undefined;
};

/**
 * Describes a failure without a status line. Error messages are not used, because they could quote the receiver.
 *
 * @param phase how far the connection got
 * @param seconds time limit of an attempt
 * @param certificate the certificate that the receiver presented in a handshake that failed
 */
export const reasonOf = (
  error: Error,
  cause: ErrorCause | 'timeout',
  {
    phase,
    seconds,
    certificate,
  }: { phase: ConnectPhase; seconds: number; certificate?: Validity | undefined },
): FailureReason => {
  if (cause === 'timeout') return { reason: `${timeoutReasons[phase]} An attempt may take ${seconds} s.` };
  const { otherwise, byCode = {} } = reasons[cause];
  // With these two causes, this service itself has refused the attempt. The code of its error would not help a
  // customer.
  if (cause === 'blocked_address' || cause === 'configuration') return { reason: otherwise };
  const { code: own = '' } = decisive(error);
  // The receiver closed the connection in an orderly way. For this, Node.js has no code.
  if (own === 'UND_ERR_SOCKET') return { reason: CLOSED };
  const code = SAME_CODES[own] ?? own;
  if (!CODE.test(code)) return { reason: otherwise };
  const dated = certificate && datedReason(code, certificate);
  return { reason: dated ?? byCode[code] ?? otherwise, code };
};
