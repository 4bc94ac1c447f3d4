/** Files in PEM: what every server of a set presents, and is signed by for the others. */
export type RedisCertificate = { certificateFile: string; keyFile: string };

/** Arguments for TLS at a port beside the plain one, which stays: it is how we know that the server is ours. */
export function tlsArguments(port: number, { certificateFile, keyFile }: RedisCertificate): string[] {
  return [
    ...['--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-cluster', 'yes', '--tls-replication', 'yes'],
    ...['--tls-cert-file', certificateFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certificateFile],
  ];
}
