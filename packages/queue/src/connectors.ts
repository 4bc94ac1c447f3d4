import type { EventEmitter } from 'node:events';
import { connect as connectPlainly } from 'node:net';
import { connect as connectWithTls } from 'node:tls';
import { AbstractConnector, type Redis, type RedisOptions, SentinelConnector } from 'ioredis';

const DISCONNECT_TIMEOUT_MS = 2000;

/**
 * Adds an error listener to a socket. ioredis listens for one error only, but an aborted TLS handshake can emit two
 * (one for the certificate, one for the server's alert), and an error without a listener ends the process.
 */
const surviving = <S extends EventEmitter>(socket: S): S => socket.on('error', () => {});

/** Connects to one server, or to one node of a cluster. */
export class StandaloneConnector extends AbstractConnector {
  readonly #options: RedisOptions;

  constructor(options: unknown) {
    super(DISCONNECT_TIMEOUT_MS);
    this.#options = options as RedisOptions;
  }

  async connect() {
    const { host = 'localhost', port = 6379, family = 0, tls } = this.#options;
    this.connecting = true;
    const address = { host, port, family };
    this.stream = surviving(tls ? connectWithTls({ ...address, ...tls }) : connectPlainly(address));
    this.stream.once('error', (error) => {
      this.firstError = error;
    });
    return this.stream;
  }
}

type ConnectToSentinel = (endpoint: object, options?: RedisOptions) => Redis;

/** Connects to the master that sentinels report. */
export class SentinelMasterConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as RedisOptions);
    // The type definitions of ioredis declare this method as private.
    const own = this as unknown as { connectToSentinel: ConnectToSentinel };
    const connectToSentinel = own.connectToSentinel.bind(this);
    own.connectToSentinel = (endpoint, more) =>
      connectToSentinel(endpoint, { ...more, Connector: StandaloneConnector });
  }

  override async connect(...parameters: Parameters<SentinelConnector['connect']>) {
    return surviving(await super.connect(...parameters));
  }
}
