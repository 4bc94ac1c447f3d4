/**
 * Paths of PEM files: a certificate that every server of a set presents and that the other servers trust, and its key.
 */
export type RedisCertificate = { certificateFile: string; keyFile: string };

/**
 * Arguments that enable TLS on a separate port. The plain port stays open, because it is used to check that the server
 * is ours.
 */
export function tlsArguments(port: number, { certificateFile, keyFile }: RedisCertificate): string[] {
  return [
    ...['--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-cluster', 'yes', '--tls-replication', 'yes'],
    ...['--tls-cert-file', certificateFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certificateFile],
  ];
}
