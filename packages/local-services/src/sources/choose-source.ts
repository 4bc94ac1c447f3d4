import type { Engine } from '../engine.ts';
import type { EnginePlan } from '../engine-plan.ts';
import type { Search, Source } from './source.ts';

export type Choice =
  | { outcome: 'running'; engine: Engine }
  | { outcome: 'given'; url: string; description: string }
  | { outcome: 'none'; reasons: string[] };

/**
 * Asks the sources in order. `start` runs what one has found, or says why it does not run here, and then the
 * next source is asked.
 */
export async function chooseSource(
  sources: readonly Source[],
  search: Search,
  start: (plan: EnginePlan) => Promise<Engine | { failed: string }>,
): Promise<Choice> {
  const reasons: string[] = [];
  for (const source of sources) {
    search.signal.throwIfAborted();
    const finding = await source(search);
    if (finding.outcome === 'given') return finding;
    if (finding.outcome === 'unavailable') {
      reasons.push(finding.reason);
      continue;
    }
    const engine = await start(finding.plan);
    if (!('failed' in engine)) return { outcome: 'running', engine };
    reasons.push(`${finding.plan.description} does not run here: ${engine.failed}`);
  }
  return { outcome: 'none', reasons };
}
