import { setTimeout as sleep } from 'node:timers/promises';
import { mailSteps } from '@chairside/test-support';
import { type Fault, type FaultKind, faultsOf } from './plan.ts';
import type { Service } from './service.ts';
import type { Target } from './target.ts';
import type { Writes } from './writes.ts';

/** A run with at least this many kills has time for the longest pauses. */
const LONG = 100;

export type FaultOptions = {
  seed: number;
  kills: number;
  /** The time at which to stop, even with fewer kills, on the clock of `performance.now()`. */
  until: number;
  signal: AbortSignal;
  /** Called before each fault. */
  onFault(fault: Fault, kills: number): void;
};

export const killsOf = ({ targets }: Pick<Service, 'targets'>): number =>
  targets.reduce((sum, { kills }) => sum + kills, 0);

/** The step of SMTP at which a fault comes. */
const stepAt = (index: number): string => mailSteps[index % mailSteps.length] as string;

/** How each kind of fault is injected. */
const injections = (
  { api, secondApi, dispatchers, redis, mongodb, mails, receivers }: Service,
  writes: Writes,
  signal: AbortSignal,
): Readonly<Record<FaultKind, (fault: Fault) => Promise<void>>> => {
  const kill = async (target: Target, rest: number): Promise<void> => {
    await target.whenUp();
    await target.kill(rest);
  };
  /** One of the dispatchers that are not paused. */
  const dispatcherOf = ({ index }: Fault): Target => {
    const moving = dispatchers.filter(({ isPaused }) => !isPaused);
    return moving[index % moving.length] as Target;
  };
  const pause = async (target: Target, milliseconds: number): Promise<void> => {
    await target.whenUp();
    target.pause(milliseconds);
  };

  return {
    async 'kill a dispatcher in mid-POST'(fault) {
      const target = dispatcherOf(fault);
      await target.whenUp();
      await receivers.nextPost(signal);
      await target.kill(fault.rest);
    },
    async 'kill all dispatchers'({ rest }) {
      const moving = dispatchers.filter(({ isPaused }) => !isPaused);
      await Promise.all(moving.map((target) => target.whenUp()));
      await receivers.nextPost(signal);
      await Promise.all(moving.map((target) => target.kill(rest)));
    },
    async 'kill the api after its response'({ rest }) {
      await api.whenUp();
      await writes.nextAcknowledged();
      await api.kill(rest);
    },
    'kill the second api': ({ rest }) => kill(secondApi, rest),
    'pause the second api': ({ pauseMs: milliseconds }) => pause(secondApi, milliseconds),
    'kill redis': ({ rest }) => kill(redis, rest),
    'kill mongodb': ({ rest }) => kill(mongodb, rest),
    async 'kill the mail server'({ index, rest }) {
      await mails.target.whenUp();
      await mails.nextStep(stepAt(index), signal);
      await mails.target.kill(rest);
    },
    async 'kill a dispatcher in mid-mail'(fault) {
      const target = dispatcherOf(fault);
      await target.whenUp();
      await mails.nextStep(stepAt(fault.index), signal);
      await target.kill(fault.rest);
    },
    async 'stop mongodb'({ stop }) {
      await mongodb.whenUp();
      await mongodb.stop(stop);
    },
    async 'pause a dispatcher'(fault) {
      // At most one dispatcher is paused, so that the others can sweep.
      if (dispatchers.every(({ isPaused }) => !isPaused)) await pause(dispatcherOf(fault), fault.pauseMs);
    },
    'pause redis': ({ pauseMs: milliseconds }) => pause(redis, milliseconds),
    'pause mongodb': ({ pauseMs: milliseconds }) => pause(mongodb, milliseconds),
  };
};

/** Injects the faults of the seed one after the other, until the number of kills or the time limit is reached. */
export const makeFaults = async (
  service: Service,
  writes: Writes,
  { seed, kills, until, signal, onFault }: FaultOptions,
): Promise<Map<FaultKind, number>> => {
  const counts = new Map<FaultKind, number>();
  const inject = injections(service, writes, signal);
  for (const fault of faultsOf(seed, { long: kills >= LONG })) {
    const done = killsOf(service);
    if (done >= kills || performance.now() >= until) break;
    onFault(fault, done);
    await inject[fault.kind](fault);
    counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
    await sleep(fault.gap, undefined, { signal });
  }
  await Promise.all(service.targets.map((target) => target.whenUp()));
  return counts;
};
