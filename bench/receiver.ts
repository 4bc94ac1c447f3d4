import { join } from 'node:path';
import { startChild } from './child.ts';
import type { Arrival } from './receiver-process.ts';

/** The receiver process. */
export type Receiver = {
  url: string;
  pid: number;
  /** Returns what has arrived since the last call. */
  take(): Promise<Arrival[]>;
  stop(): void;
};

export const startReceiver = async (): Promise<Receiver> => {
  const path = join(import.meta.dirname, 'receiver-process.ts');
  const { child, hello } = await startChild<{ port: number }, { take: true }, Arrival[]>(path);
  return {
    url: `http://127.0.0.1:${hello.port}/`,
    pid: child.pid,
    take: () => child.ask({ take: true }),
    stop: child.stop,
  };
};
