import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Arrival } from './receiver-process.ts';

export type Receiver = {
  url: string;
  /** What has arrived since the last call. */
  take(): Promise<Arrival[]>;
  stop(): void;
};

export const startReceiver = async (): Promise<Receiver> => {
  const child = fork(join(import.meta.dirname, 'receiver-process.ts'));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    url: `http://127.0.0.1:${port}/`,
    async take() {
      child.send('take');
      const [{ arrivals }] = (await once(child, 'message')) as [{ arrivals: Arrival[] }];
      return arrivals;
    },
    stop: () => void child.kill(),
  };
};
