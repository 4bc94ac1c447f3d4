import { describe, expect, it } from 'vitest';
import type { Engine } from '../engine.ts';
import type { EnginePlan } from '../engine-plan.ts';
import { LocalServicesError } from '../problem.ts';
import { chooseSource, type StartResult } from './choose-source.ts';
import { type Finding, type Search, type Source, unavailable } from './source.ts';

const asked: string[] = [];

function source(name: string, find: () => Finding): Source {
  return {
    name,
    find: async () => {
      asked.push(name);
      return find();
    },
  };
}

function planned(description: string): EnginePlan {
  return {
    kind: description,
    description,
    url: () => 'none',
    layOut: async () => {},
    processes: () => [],
    runningPid: async () => 0,
  };
}

function search(signal = new AbortController().signal): Search {
  return { cacheDirectory: '/nowhere', environment: {}, onProgress: () => {}, signal };
}

const engine = { url: 'started' } as Engine;
const runs = async (): Promise<StartResult> => ({ outcome: 'running', running: engine });
const doesNotRun = async (): Promise<StartResult> => ({ outcome: 'didNotRun', reason: 'it broke' });

describe('chooseSource', () => {
  it('tries the sources in order and stops at the first that runs', async () => {
    asked.length = 0;
    const choice = await chooseSource(
      [
        source('first', () => unavailable('not set')),
        source('second', () => ({ outcome: 'found', plan: planned('two') })),
        source('third', () => ({ outcome: 'found', plan: planned('three') })),
      ],
      search(),
      runs,
    );
    expect(choice).toEqual({ outcome: 'running', running: engine });
    expect(asked).toEqual(['first', 'second']);
  });

  it('starts nothing when an engine is given', async () => {
    const given = { outcome: 'given', url: 'redis://elsewhere', description: 'given' } as const;
    const choice = await chooseSource([source('url', () => given)], search(), () => {
      throw new Error('started');
    });
    expect(choice).toEqual(given);
  });

  it('continues when a source throws or its engine does not run, and keeps each reason', async () => {
    const choice = await chooseSource(
      [
        source('download', () => {
          throw new Error('refused\nby the proxy');
        }),
        source('installed', () => ({ outcome: 'found', plan: planned('Redis 7') })),
      ],
      search(),
      doesNotRun,
    );
    expect(choice).toEqual({
      outcome: 'none',
      tried: [
        { source: 'download', reason: 'refused; by the proxy' },
        { source: 'installed', reason: 'Redis 7 does not run here: it broke' },
      ],
    });
  });

  it('does not replace an engine that the user has selected', async () => {
    asked.length = 0;
    const sources = [
      source('REDIS_BINARY', () => ({ outcome: 'found', plan: planned('Redis 7'), insist: true })),
      source('next', () => unavailable('never asked')),
    ];
    await expect(chooseSource(sources, search(), doesNotRun)).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
    });
    expect(asked).toEqual(['REDIS_BINARY']);
  });

  it('stops at an error for the user, and at a full disk', async () => {
    const unusable = new LocalServicesError('URL_UNUSABLE', 'no server responds');
    const throwing = (error: Error) =>
      source('throws', () => {
        throw error;
      });
    await expect(chooseSource([throwing(unusable)], search(), runs)).rejects.toBe(unusable);
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    await expect(chooseSource([throwing(full)], search(), runs)).rejects.toMatchObject({ code: 'DISK_FULL' });
  });

  it('rejects with the reason of the signal', async () => {
    const reason = new Error('changed my mind');
    const aborted = search(AbortSignal.abort(reason));
    await expect(chooseSource([source('any', () => unavailable('x'))], aborted, runs)).rejects.toBe(reason);
  });
});
