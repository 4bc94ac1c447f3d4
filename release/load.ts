import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@chairside/domain';
import { callApi } from '@chairside/test-support';

/** How many callers create records at the same time, and the pause of each after a response. */
const CALLERS = 4;
const PAUSE_MS = 20;

/** Callers that create patients, one after the other, until they are stopped. */
export type Load = {
  /** The ids of the created patients. */
  created: string[];
  /** Resolves when this many more patients have been created. Rejects like `stop`. */
  untilMore(count: number): Promise<void>;
  /** Sends requests to this api too. */
  add(address: string): void;
  /** Sends no more requests to this api. Resolves when the last one has its response. */
  remove(address: string): Promise<void>;
  /**
   * Resolves when every request has its response.
   *
   * @throws {Error} with the first response that is not a success. No request is repeated
   */
  stop(): Promise<void>;
};

/**
 * @param addresses the addresses of the apis that are ready
 * @param authorization the value of the header
 */
export const startLoad = (addresses: readonly string[], authorization: string, clinicId: string): Load => {
  const endpoints = new Set(addresses);
  /** The last request of each caller, and where it was sent. */
  const latest = new Map<number, { address: string; response: Promise<unknown> }>();
  const created: string[] = [];
  const progress = new EventEmitter();
  let isStopped = false;
  let turn = 0;

  const create = async (address: string): Promise<void> => {
    const patient = { clinicId, name: `Load ${newId()}` };
    const { status, json } = await callApi(address, 'POST', '/api/patients', { authorization }, patient);
    if (status >= 300) throw new Error(`${address} responded with ${status}: ${JSON.stringify(json)}`);
    created.push(json._id);
    progress.emit('created');
  };
  const call = async (caller: number): Promise<void> => {
    while (!isStopped) {
      const address = [...endpoints][turn++ % endpoints.size] ?? '';
      const response = create(address);
      latest.set(caller, { address, response });
      await response;
      await delay(PAUSE_MS);
    }
  };
  const calls = Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
  // `stop` throws the failure.
  calls.catch(() => {});

  return {
    created,
    async untilMore(count) {
      const wanted = created.length + count;
      while (created.length < wanted) await Promise.race([once(progress, 'created'), calls]);
    },
    add: (address) => void endpoints.add(address),
    async remove(address) {
      endpoints.delete(address);
      const sent = [...latest.values()].filter((each) => each.address === address);
      await Promise.allSettled(sent.map(({ response }) => response));
    },
    async stop() {
      isStopped = true;
      await calls;
    },
  };
};
