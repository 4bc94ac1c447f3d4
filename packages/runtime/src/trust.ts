import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { z } from 'zod';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** @throws {Error} when there is no certificate in it, or one that cannot be read */
const certificatesIn = (pem: string): string[] => {
  const found = pem.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new Error('no certificate');
  for (const certificate of found) new X509Certificate(certificate);
  return found;
};

/** The path of a PEM file, as a setting; its certificates as value. Empty for none. */
export const certificateFile = z.string().transform((path, context) => {
  if (path === '') return [];
  try {
    return certificatesIn(readFileSync(path, 'utf8'));
  } catch {
    context.addIssue({ code: 'custom', message: 'must be the path of a file with certificates in PEM' });
    return z.NEVER;
  }
});

/** Trusts these certificates besides those that the runtime trusts. Made once: reading them all takes a while. */
export const trusting = (certificates: readonly string[]): SecureContext =>
  createSecureContext({ ca: [...getCACertificates('default'), ...certificates] });
