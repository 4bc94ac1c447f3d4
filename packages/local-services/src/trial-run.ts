import type { EnginePlan } from './engine-plan.ts';
import { openHome } from './home.ts';
import { runEngine } from './run-engine.ts';
import type { Search } from './sources/source.ts';

/** Runs an engine on temporary data and calls `use` with it. @throws {Error} if either fails */
export async function trialRun(
  plan: EnginePlan,
  search: Search,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const home = await openHome({ ephemeral: true }, search);
  const engine = await runEngine(plan, home, search.signal).catch(async (error: unknown) => {
    await home.close();
    throw error;
  });
  try {
    await use(engine.url);
  } finally {
    await engine.stop();
  }
}
