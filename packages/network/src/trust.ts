import { constants, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, DEFAULT_CIPHERS, getCACertificates, type SecureContext } from 'node:tls';
import { ServiceError } from '@chairside/domain';
import { z } from 'zod';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Returns the certificates in a PEM text.
 *
 * @throws {Error} when the text contains no certificate, or an invalid one
 */
const certificatesIn = (pem: string): string[] => {
  const found = pem.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new ServiceError('no certificate');
  for (const certificate of found) new X509Certificate(certificate);
  return found;
};

/**
 * A setting that is the path of a PEM file. Its value is the list of certificates in the file. The list is empty if no
 * path is set.
 */
export const certificateFile = z.string().transform((path, context) => {
  if (path === '') return [];
  try {
    return certificatesIn(readFileSync(path, 'utf8'));
  } catch {
    context.addIssue({ code: 'custom', message: 'must be the path of a PEM file with certificates' });
    return z.NEVER;
  }
});

/**
 * What TLS leaves out, because it would let the server determine the work of this process: a key exchange with a
 * Diffie-Hellman group of the server's choice, which takes more than a second if the group has 10,000 bits, and further
 * handshakes in one connection, without limit.
 */
export const BOUNDED_TLS = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};

/**
 * Creates a TLS context that trusts these certificates in addition to those that the runtime trusts. Create it only
 * once, because reading all certificates is slow.
 */
export const trusting = (certificates: readonly string[]): SecureContext =>
  createSecureContext({ ...BOUNDED_TLS, ca: [...getCACertificates('default'), ...certificates] });
