/** The shortest time between two progress lines if the output is not a terminal. */
const LINE_INTERVAL_MS = 5000;

const CLEAR_LINE = '\r\u001b[2K';
const SAVE_CURSOR = '\u001b7';

/** Shows the progress of a long-running operation. */
export type Progress = {
  /**
   * @param value how much of `total` is done
   * @param count the number of finished items. Default: `value`
   */
  advance(value: number, count?: number): void;
  /** On a terminal, clears the line, so that other text can be written there before the next `advance`. */
  hide(): void;
  /** On a terminal, draws the last state and ends the line. */
  end(): void;
};

export type ProgressOptions = {
  /** The value at which the operation is complete; undefined if it is unknown. */
  total?: number;
  /** The value and the count at the start. Work of earlier runs does not count towards the rate. */
  initial?: { value: number; count: number };
  /** What is counted, for example `rows`. */
  unit: string;
};

/**
 * Calls a function before the process exits, or a signal ends it. A signal that the command itself handles does not end
 * it.
 *
 * @returns a function that ends this
 */
const beforeEnd = (restore: () => void): (() => void) => {
  const onSignal = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return;
    release();
    restore();
    process.kill(process.pid, signal);
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const release = () => {
    for (const name of names) process.off(name, onSignal);
    process.off('exit', restore);
  };
  process.once('exit', restore);
  // It comes before a listener that the command uses once, and so still counts it.
  for (const name of names) process.prependListener(name, onSignal);
  return release;
};

/**
 * Shows the progress of work, and ends the progress when the work has ended or failed. A bar that is not ended keeps the
 * process alive, and leaves the terminal without a cursor.
 */
export const withProgress = async <T>(
  options: ProgressOptions,
  work: (progress: Progress) => Promise<T>,
  stream?: Parameters<typeof openProgress>[1],
): Promise<T> => {
  const progress = await openProgress(options, stream);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
};

/** Shows progress: a bar on a terminal, otherwise at most one line in five seconds. */
export const openProgress = async (
  { total, initial = { value: 0, count: 0 }, unit }: ProgressOptions,
  stream: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr,
): Promise<Progress> => {
  const startedAt = performance.now();
  const rateAt = (now: number, count: number): number =>
    Math.round((count - initial.count) / Math.max(0.001, (now - startedAt) / 1000));
  const leftAt = (now: number, value: number): string => {
    const done = value - initial.value;
    if (total === undefined || done <= 0) return '';
    return `, ${Math.ceil(((now - startedAt) / 1000 / done) * (total - value))} s left`;
  };
  if (stream.isTTY) {
    // The module is loaded here, because most commands show no progress.
    const { default: progress } = await import('cli-progress');
    const share = total === undefined ? '' : '{bar} {percentage} %  ';
    const left = total === undefined ? '' : ', {eta_formatted} left';
    const format = `${share}{count} ${unit}, {rate}/s${left}`;
    const options = { format, stream, hideCursor: true };
    const bar = new progress.SingleBar(options, progress.Presets.shades_classic);
    bar.start(total ?? 0, initial.value, { rate: 0, count: initial.count });
    const release = beforeEnd(() => bar.stop());
    let isHidden = false;
    return {
      advance(value, count = value) {
        // The bar ends by restoring the cursor that was saved at its start, and text has been written since then.
        if (isHidden) stream.write(SAVE_CURSOR);
        isHidden = false;
        bar.update(value, { count, rate: rateAt(performance.now(), count) });
      },
      hide() {
        stream.write(CLEAR_LINE);
        isHidden = true;
      },
      end() {
        release();
        bar.stop();
      },
    };
  }
  let writtenAt = startedAt;
  return {
    advance(value, count = value) {
      const now = performance.now();
      if (now - writtenAt < LINE_INTERVAL_MS) return;
      writtenAt = now;
      const share = total === undefined ? '' : `${((value / total) * 100).toFixed(1)} %, `;
      stream.write(`${share}${count} ${unit}, ${rateAt(now, count)}/s${leftAt(now, value)}\n`);
    },
    hide() {},
    end() {},
  };
};
