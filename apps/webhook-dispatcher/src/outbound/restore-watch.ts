import { type Rounds, startRounds } from '@chairside/concurrency';
import type { RestoreState, RestoreWatch } from '@chairside/mongodb/dispatch';

/** How often the database is looked at, in milliseconds. An ending is in the vault after that. */
const INTERVAL_MS = 2000;

export type RestoreWatchOptions = {
  restoreWatch: Pick<RestoreWatch, 'step'>;
  /** The state with which this process has started. */
  startedAs: RestoreState;
  /** Called once when the state differs. The process must start again: it holds what leaves, or sends again. */
  onChange(state: RestoreState): void;
  /** Called when the database has gone back, and nothing tells what has ended since, because there is no vault. */
  onWentBack(): void;
  /** Called with the first error, and again after a look that succeeded. */
  onError(error: unknown): void;
};

/** Looks whether the database was restored from a backup under this process, and tells the vault what has ended. */
export const startRestoreWatch = ({
  restoreWatch,
  startedAs,
  onChange,
  onWentBack,
  onError,
}: RestoreWatchOptions): Rounds => {
  let isFailing = false;
  const look = async (signal: AbortSignal): Promise<void> => {
    const state = await restoreWatch.step();
    isFailing = false;
    if (state === 'wentBack') onWentBack();
    else if (state !== startedAs && !signal.aborted) {
      void looks.stop();
      onChange(state);
    }
  };
  const looks = startRounds(look, INTERVAL_MS, (error) => {
    if (!isFailing) onError(error);
    isFailing = true;
  });
  return looks;
};
