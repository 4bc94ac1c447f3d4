import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A received POST, with its exact bytes. */
export type Post = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  raw: Buffer;
  json: any;
};

/** A receiver that records each POST and responds as the test specifies. */
export type RecordingReceiver = {
  url: string;
  posts: Post[];
  /** Called with each POST when it has arrived completely. Default: responds with 200. */
  respond: (post: Post, response: ServerResponse) => void;
  /** Resolves when the POSTs received so far satisfy the condition. */
  until(condition: (posts: readonly Post[]) => boolean): Promise<void>;
  /** Closes the open connections, so that the sender cannot reuse them. */
  closeConnections(): void;
  /** Refuses connections from this moment on. Resolves when the last one is closed. */
  close(): Promise<void>;
};

/** Resolves with the body; with undefined if the connection is closed before the body has arrived completely. */
const bodyOf = async (request: IncomingMessage, keepsBodies: boolean): Promise<Buffer | undefined> => {
  try {
    if (keepsBodies) return await buffer(request);
    await once(request.resume(), 'end');
    return Buffer.alloc(0);
  } catch {
    return undefined;
  }
};

/**
 * @param options.port the port to listen on. Default: any free port
 * @param options.keepsBodies whether recorded POSTs keep their bodies. Default: yes. Otherwise `raw` is empty and
 *   `json` is undefined
 */
export const startRecordingReceiver = async ({
  port = 0,
  keepsBodies = true,
}: {
  port?: number;
  keepsBodies?: boolean;
} = {}): Promise<RecordingReceiver> => {
  const waiting = new Set<{ condition: (posts: readonly Post[]) => boolean; resolve: () => void }>();
  const posts: Post[] = [];
  const server = createServer(async (request, response) => {
    const raw = await bodyOf(request, keepsBodies);
    if (raw === undefined) return;
    const { method = '', headers, rawHeaders, url = '' } = request;
    const json = keepsBodies ? JSON.parse(raw.toString('utf8')) : undefined;
    const post = { method, path: url, headers, rawHeaders, raw, json };
    posts.push(post);
    receiver.respond(post, response);
    for (const waiter of waiting) {
      if (!waiter.condition(posts)) continue;
      waiting.delete(waiter);
      waiter.resolve();
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const receiver: RecordingReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    posts,
    respond: (_post, response) => void response.end(),
    until: (condition) =>
      condition(posts)
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.add({ condition, resolve });
          }),
    closeConnections: () => server.closeAllConnections(),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return receiver;
};
