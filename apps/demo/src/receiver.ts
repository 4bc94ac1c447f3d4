import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { SignatureError, unwrap, type WebhookEvent } from '@chairside/signing';

/** The largest body that is read, in bytes. */
const MAX_BODY_BYTES = 1024 * 1024;

/** A delivery as it arrived. */
export type Received = {
  headers: IncomingHttpHeaders;
  body: string;
  /** The time of arrival, on the clock of `performance.now()`. */
  at: number;
} & ({ event: WebhookEvent } | { refusal: string });

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

export type Receiver = { url: string; close(): Promise<void> };

/**
 * An example of a partner's server: it reads the raw body, verifies the signature and responds at once.
 *
 * @param secrets called for each delivery
 */
export const startReceiver = async (
  port: number,
  secrets: () => readonly string[],
  onReceived: (received: Received) => void,
): Promise<Receiver> => {
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = performance.now();
    const raw = await bodyOf(request);
    const { headers } = request;
    const delivery = { headers, body: raw.toString('utf8'), at };
    try {
      const header = headers['x-service-signature'];
      const event = unwrap({ body: raw, header, secret: secrets() });
      response.writeHead(204).end();
      onReceived({ ...delivery, event });
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      response.writeHead(400).end(error.code);
      onReceived({ ...delivery, refusal: error.message });
    }
  };

  // A request that is aborted or too large only loses its connection.
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
