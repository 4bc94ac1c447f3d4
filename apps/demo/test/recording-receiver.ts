import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A POST as it arrived, to the byte. */
export type Post = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  raw: Buffer;
  json: any;
};

/** A partner's server that keeps what it gets, and answers as it is told. */
export type RecordingReceiver = {
  url: string;
  posts: Post[];
  /** What happens with a POST; by default 200. */
  answer: (post: Post, response: ServerResponse) => void;
  /** Resolves when the POSTs so far satisfy the condition. */
  until(condition: (posts: readonly Post[]) => boolean): Promise<void>;
  close(): Promise<void>;
};

export const startRecordingReceiver = async (): Promise<RecordingReceiver> => {
  const waiting = new Set<{ condition: (posts: readonly Post[]) => boolean; resolve: () => void }>();
  const posts: Post[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const { method = '', headers, rawHeaders, url = '' } = request;
    const post = { method, path: url, headers, rawHeaders, raw, json: JSON.parse(raw.toString('utf8')) };
    posts.push(post);
    receiver.answer(post, response);
    for (const waiter of waiting) {
      if (!waiter.condition(posts)) continue;
      waiting.delete(waiter);
      waiter.resolve();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: RecordingReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    posts,
    answer: (_post, response) => void response.end(),
    until: (condition) =>
      condition(posts)
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.add({ condition, resolve });
          }),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return receiver;
};
