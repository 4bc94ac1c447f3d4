/** How often a line is written where there is no terminal. */
const LINE_INTERVAL_MS = 5000;

/** The progress of long work. */
export type Progress = {
  /**
   * @param value how far the work is, of `total`
   * @param count how many things are done. Default: `value`
   */
  advance(value: number, count?: number): void;
  /** Draws the last state, and ends the line. */
  end(): void;
};

export type ProgressOptions = {
  /** The value at the end; undefined if it is unknown. */
  total?: number;
  /** The value and the count at the begin: work of earlier runs does not count for the rate. */
  initial?: { value: number; count: number };
  /** What is counted, for example `rows`. */
  unit: string;
};

/** Shows progress: a bar on a terminal, a line every five seconds elsewhere. */
export const openProgress = async (
  { total, initial = { value: 0, count: 0 }, unit }: ProgressOptions,
  stream: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr,
): Promise<Progress> => {
  const startedAt = performance.now();
  const rateAt = (now: number, count: number): number =>
    Math.round((count - initial.count) / Math.max(0.001, (now - startedAt) / 1000));
  if (stream.isTTY) {
    // Loaded only here: most commands show no progress.
    const { default: progress } = await import('cli-progress');
    const share = total === undefined ? '' : '{bar} {percentage} %  ';
    const left = total === undefined ? '' : ', {eta_formatted} left';
    const format = `${share}{count} ${unit}, {rate}/s${left}`;
    const options = { format, stream, hideCursor: true };
    const bar = new progress.SingleBar(options, progress.Presets.shades_classic);
    bar.start(total ?? 0, initial.value, { rate: 0, count: initial.count });
    return {
      advance: (value, count = value) => bar.update(value, { count, rate: rateAt(performance.now(), count) }),
      end: () => bar.stop(),
    };
  }
  let writtenAt = startedAt;
  return {
    advance(value, count = value) {
      const now = performance.now();
      if (now - writtenAt < LINE_INTERVAL_MS) return;
      writtenAt = now;
      const share = total === undefined ? '' : `${((value / total) * 100).toFixed(1)} %, `;
      stream.write(`${share}${count} ${unit}, ${rateAt(now, count)}/s\n`);
    },
    end() {},
  };
};
