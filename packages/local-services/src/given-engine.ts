import type { Engine } from './engine.ts';
import { LocalServicesError } from './problem.ts';

/** An engine that somebody else runs: it can be used, and nothing else. */
export function givenEngine(url: string, source: string): Engine {
  const refuse = async () => {
    throw new LocalServicesError(
      'NOT_OURS',
      `${source} was not started here, so it is not killed, halted or resumed.`,
    );
  };
  return {
    url,
    source,
    started: false,
    pids: [],
    stop: async () => {},
    kill: refuse,
    halt: refuse,
    resume: refuse,
  };
}
