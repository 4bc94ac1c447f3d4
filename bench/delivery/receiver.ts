import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Reply, Request } from './receiver-process.ts';

/** The receiver process. */
export type Receiver = {
  /** Without a path: `http://127.0.0.1:<port>`. */
  origin: string;
  /** Counts from zero. Resolves with the time at which this many POSTs have received a response. */
  expect(posts: number): Promise<number>;
  /** The arrival times of the events under `/times` since the last call, by record. */
  times(): Promise<Map<string, number>>;
  stop(): void;
};

const ask = async <K extends string>(child: ChildProcess, key: K, message?: Request) => {
  if (message) child.send(message);
  for (;;) {
    const [reply] = (await once(child, 'message')) as [Reply];
    if (key in reply) return (reply as Record<K, unknown>)[key];
  }
};

export const startReceiver = async (): Promise<Receiver> => {
  const child = fork(join(import.meta.dirname, 'receiver-process.ts'));
  const port = await ask(child, 'port');
  return {
    origin: `http://127.0.0.1:${port}`,
    expect: (posts) => ask(child, 'arrived', { expect: posts }) as Promise<number>,
    times: async () => new Map((await ask(child, 'times', { times: true })) as [string, number][]),
    stop: () => void child.kill(),
  };
};
