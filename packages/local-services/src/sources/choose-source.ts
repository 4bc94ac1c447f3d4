import type { Engine } from '../engine.ts';
import { LocalServicesError, machineProblem, reasonOf } from '../problem.ts';
import { type Finding, type Search, type Source, unavailable } from './source.ts';

/** A source that was skipped, and the reason. */
export type Tried = { source: string; reason: string };

export type Choice<Running = Engine> =
  | { outcome: 'given'; url: string; description: string }
  | { outcome: 'running'; running: Running }
  | { outcome: 'none'; tried: Tried[] };

/** `didNotRun` means that the engine left nothing behind, so another source may be tried. */
export type StartResult<Running = Engine> =
  | { outcome: 'running'; running: Running }
  | { outcome: 'didNotRun'; reason: string };

/**
 * Tries the sources in order until one returns the URL of a running server, or an engine or a browser that `start` can
 * run.
 *
 * @throws {LocalServicesError} if the user has explicitly selected an engine or a browser that cannot be used, or if
 *   this machine cannot store files
 */
export async function chooseSource<Plan extends { description: string }, Running>(
  sources: readonly Source<Plan>[],
  search: Search,
  start: (plan: Plan) => Promise<StartResult<Running>>,
): Promise<Choice<Running>> {
  const tried: Tried[] = [];
  for (const source of sources) {
    const finding = await ask(source, search);
    if (finding.outcome === 'given') return finding;
    if (finding.outcome === 'unavailable') {
      tried.push({ source: source.name, reason: finding.reason });
      continue;
    }
    const { plan, insist } = finding;
    const result = await start(plan);
    if (result.outcome === 'running') return result;
    const reason = `${plan.description} does not run here: ${result.reason}`;
    if (insist) throw new LocalServicesError('ENGINE_FAILED', `${source.name}: ${reason}`);
    tried.push({ source: source.name, reason });
  }
  return { outcome: 'none', tried };
}

async function ask<Plan>(source: Source<Plan>, search: Search): Promise<Finding<Plan>> {
  search.signal.throwIfAborted();
  try {
    return await source.find(search);
  } catch (error) {
    search.signal.throwIfAborted();
    const serious = error instanceof LocalServicesError ? error : machineProblem(error);
    if (serious !== undefined) throw serious;
    return unavailable(reasonOf(error));
  }
}
