import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
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
 * Creates a TLS context that trusts these certificates in addition to those that the runtime trusts. Create it only
 * once, because reading all certificates is slow.
 */
export const trusting = (certificates: readonly string[]): SecureContext =>
  createSecureContext({ ca: [...getCACertificates('default'), ...certificates] });
