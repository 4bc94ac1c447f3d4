import { say } from '../output/stdout.ts';

/** The time between two lines if stderr is not a terminal, in milliseconds. */
const LINE_INTERVAL = 5000;

/** Shows how many rows have ended: a bar on a terminal, a line every few seconds elsewhere. */
export type Progress = { advance(ended: number): void; end(): void };

const FORMAT = '{bar} {percentage} %  {value}/{total} rows, {rate}/s, {eta_formatted} left';

/** @param ended the rows that ended in earlier runs */
export const openProgress = async (total: number, ended: number): Promise<Progress> => {
  const begun = performance.now();
  const rateAt = (now: number, done: number): number => Math.round((done - ended) / ((now - begun) / 1000));
  if (process.stderr.isTTY) {
    const { default: progress } = await import('cli-progress');
    const options = { format: FORMAT, stream: process.stderr, hideCursor: true };
    const bar = new progress.SingleBar(options, progress.Presets.shades_classic);
    bar.start(total, ended, { rate: 0 });
    return {
      advance: (done) => bar.update(done, { rate: rateAt(performance.now(), done) }),
      end: () => bar.stop(),
    };
  }
  let written = begun;
  return {
    advance(done) {
      const now = performance.now();
      if (now - written < LINE_INTERVAL) return;
      written = now;
      say(`${done} of ${total} rows, ${rateAt(now, done)}/s`);
    },
    end() {},
  };
};
