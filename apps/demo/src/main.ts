import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LocalServicesError } from '@chairside/local-services';
import { claim, DirectoryInUse, startWatchdog } from '@chairside/processes';
import { openDataFolder } from './data-folder.ts';
import { DemoProblem } from './problem.ts';
import { reset } from './reset.ts';
import { onStop } from './signals.ts';
import { start } from './start.ts';
import { createSteps } from './steps.ts';

const DATA_PATH = fileURLToPath(new URL('../../../.data', import.meta.url));

const print = (line: string): void => console.log(line);

/** Reads the arguments. scripts/bootstrap.mjs has checked them, and prints the help. */
const readArguments = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean' }, yes: { type: 'boolean' } },
  });
  return { ...values, reset: positionals[0] === 'reset' };
};

/** Runs the demo until a signal or a failure, or with `check` until the main job has succeeded. */
const runDemo = async (check: boolean): Promise<void> => {
  const data = await openDataFolder(DATA_PATH);
  const directory = join(data.path, 'services');
  const claimed = await claim(directory, { waitMs: 0 }).catch(async (error: unknown) => {
    if (!(error instanceof DirectoryInUse)) throw error;
    const facts = await data.readFacts();
    const where = facts === undefined ? '' : ` at ${facts.api}`;
    throw new DemoProblem(
      `Chairside is already running${where}. Stop it first: press Ctrl-C in its terminal.`,
    );
  });
  // The watchdog stops the recorded processes if this process crashes.
  const watchdog = startWatchdog(directory, 'keep');

  const stopping = new AbortController();
  const signalled = new Promise<void>((resolve) => {
    const stop = () => {
      stopping.abort();
      resolve();
    };
    onStop(stop);
  });
  const running: { stop(): Promise<void> }[] = [];
  try {
    const services = await start({
      data,
      steps: createSteps(print, stopping.signal),
      print,
      signal: stopping.signal,
      running,
      record: claimed.record,
    });
    if (!check) {
      print('\n  Press Ctrl-C to stop. Every webhook that the receiver gets is shown below.\n');
      await Promise.race([signalled, ...services.map(({ failed }) => failed)]);
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    for (const part of running.toReversed()) await part.stop();
    await claimed.release();
    watchdog.end();
    print('✓ everything is stopped');
  }
};

const main = async (): Promise<void> => {
  const { yes, check, reset: isReset } = readArguments();
  if (isReset) {
    await reset(DATA_PATH, yes === true, print);
    return;
  }
  await runDemo(check === true);
};

main().catch((error: unknown) => {
  const isKnown = error instanceof DemoProblem || error instanceof LocalServicesError;
  console.error(isKnown ? `\n${(error as Error).message}` : error);
  process.exitCode = 1;
});
