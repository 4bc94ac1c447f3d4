import { LocalServicesError } from '@chairside/local-services';
import { readOptions, USAGE, UsageError } from './options.ts';
import { runChaos } from './run.ts';
import type { Running } from './service.ts';

/** Maximum number of violations that are printed. */
const SHOWN = 30;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

const main = async (): Promise<number> => {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(USAGE);
    return 0;
  }
  const running: Running = [];
  try {
    const violations = await runChaos(options, running, stopping.signal, (line) => console.log(line));
    for (const violation of violations.slice(0, SHOWN)) console.error(`✗ ${violation}`);
    if (violations.length > SHOWN) console.error(`✗ and ${violations.length - SHOWN} more`);
    if (violations.length > 0)
      console.error(`\nRepeat with: npm run chaos -- --seed ${options.seed} --kills ${options.kills}`);
    else console.log('\n✓ nothing was lost and nothing was sent twice');
    return violations.length > 0 ? 1 : 0;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    console.log('interrupted');
    return 130;
  } finally {
    stopping.abort();
    for (const part of running.toReversed()) await part.stop();
  }
};

/** Exits explicitly, because clients of a stopped database would keep the process alive. */
const exit = (code: number): void => process.exit(code);

main().then(exit, (error: unknown) => {
  const isKnown = error instanceof UsageError || error instanceof LocalServicesError;
  console.error(isKnown ? (error as Error).message : error);
  if (error instanceof UsageError) console.error(`\n${USAGE}`);
  exit(error instanceof UsageError ? 2 : 1);
});
