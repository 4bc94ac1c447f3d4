import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './service.ts';

/** How often an operator looks, in milliseconds. */
const INTERVAL = 3000;

export type Operator = { enabled: number; stop(): Promise<void> };

/** An operator who enables again whatever was disabled, so that bad receivers go on being bad. */
export const startOperator = ({ call, practice }: Service, signal: AbortSignal): Operator => {
  const headers = { authorization: `Token ${practice.administrator.token}` };
  const leaving = new AbortController();
  const either = AbortSignal.any([signal, leaving.signal]);

  const look = async (): Promise<void> => {
    const { status, json } = await call('GET', '/api/webhooksubscriptions', undefined, headers);
    if (status !== 200) return;
    for (const { _id, active } of json) {
      if (active) continue;
      const { status: answer } = await call(
        'PUT',
        `/api/webhooksubscriptions/${_id}`,
        { active: true },
        headers,
      );
      if (answer === 200) operator.enabled++;
    }
  };
  const run = async (): Promise<void> => {
    for (;;) {
      await sleep(INTERVAL, undefined, { signal: either });
      // Nobody answers: the next time, then.
      await look().catch(() => {});
    }
  };
  const running = run().catch(() => {});
  const operator: Operator = {
    enabled: 0,
    async stop() {
      leaving.abort();
      await running;
    },
  };
  return operator;
};
