import type { Engine } from './engine.ts';
import { LocalServicesError } from './problem.ts';

/** An engine that runs outside of this package. It can be used, but not controlled. */
export function givenEngine(url: string, source: string): Engine {
  const refuse = async () => {
    throw new LocalServicesError(
      'NOT_OURS',
      `${source} was not started by this package, so it cannot be killed, halted or resumed.`,
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
