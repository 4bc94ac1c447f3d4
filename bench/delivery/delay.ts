import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../apps.ts';
import { now } from '../clock.ts';
import { cpuTimes } from '../processes.ts';
import type { Service } from '../service.ts';
import { quantile } from '../statistics.ts';
import type { Receiver } from './receiver.ts';

const RATE = 100;
const SECONDS = 10;
const WARM_UP_SECONDS = 3;
const IDLE_SECONDS = 20;

/** The time from the response of the api to the arrival at the receiver, at a steady load, in milliseconds. */
export const measureDelay = async (
  service: Service,
  receiver: Receiver,
): Promise<{ rate: number; p50: number; p99: number }> => {
  const { clinicId } = await service.createClinic([`${receiver.origin}/times`]);
  const api = await service.startApi();
  const headers = {
    authorization: `Basic ${Buffer.from(service.apiKey).toString('base64')}`,
    'content-type': 'application/json',
  };
  const acknowledged = new Map<string, number>();
  const write = async () => {
    const body = JSON.stringify({ clinicId });
    const response = await fetch(`${api.url}/api/patients`, { method: 'POST', headers, body });
    const at = now();
    const { _id } = (await response.json()) as { _id: string };
    if (!response.ok) throw new Error(`the api responded with ${response.status}`);
    acknowledged.set(_id, at);
  };
  const load = async (seconds: number) => {
    const startedAt = now();
    const writes: Promise<void>[] = [];
    for (let index = 0; index < seconds * RATE; index++) {
      await sleep(Math.max(0, startedAt + (index * 1000) / RATE - now()));
      writes.push(write());
    }
    await Promise.all(writes);
    await service.untilDone();
  };
  await load(WARM_UP_SECONDS);
  await receiver.times();
  acknowledged.clear();
  await load(SECONDS);
  const arrivals = await receiver.times();
  await api.stop();
  const delays = [...acknowledged].map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at);
  return { rate: RATE, p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) };
};

export const measureIdle = async ({ pid }: App): Promise<{ seconds: number; percent: number }> => {
  const [before = 0] = cpuTimes([pid]);
  await sleep(IDLE_SECONDS * 1000);
  const [after = 0] = cpuTimes([pid]);
  return { seconds: IDLE_SECONDS, percent: (after - before) / (IDLE_SECONDS * 10) };
};
