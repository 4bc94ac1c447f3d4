import type { Outages } from '@chairside/mongodb/dispatch';

/** How often a declared outage is renewed: three times within its lifetime. */
const RENEWAL_MS = 10_000;

/** Stores the outage that this process declares, so that the api can show it. */
export type OutageNotice = {
  change(isOut: boolean): void;
  /** Withdraws a declared outage. Resolves when no statement is in flight. */
  stop(): Promise<void>;
};

export const createOutageNotice = ({
  outages,
  worker,
  onError,
}: {
  outages: Pick<Outages, 'declare' | 'withdraw'>;
  worker: string;
  onError(error: unknown): void;
}): OutageNotice => {
  let isOut = false;
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> | undefined;

  /** Stores the current state. Repeats this if the state has changed meanwhile. */
  const store = async (): Promise<void> => {
    let stored: boolean;
    do {
      stored = isOut;
      await (stored ? outages.declare(worker) : outages.withdraw(worker)).catch(onError);
    } while (stored !== isOut);
    storing = undefined;
  };

  const begin = (): void => {
    storing ??= store();
  };
  const change = (isOutNow: boolean): void => {
    isOut = isOutNow;
    clearInterval(timer);
    if (isOut) timer = setInterval(begin, RENEWAL_MS);
    begin();
  };

  return {
    change,
    async stop() {
      if (isOut) change(false);
      await storing;
    },
  };
};
