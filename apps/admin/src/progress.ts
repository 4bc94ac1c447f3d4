/** How often the bar is redrawn on a terminal, and how often a line is written elsewhere, in milliseconds. */
const DRAW_INTERVAL = 100;
const LINE_INTERVAL = 5000;
const BAR_WIDTH = 24;

/** Reports progress: one line that is redrawn on a terminal, plain lines elsewhere. */
export type Progress = {
  /** @param text printed if enough time has passed since the last one */
  show(text: string): void;
  /** Ends the line on a terminal. */
  end(): void;
};

export const openProgress = (stream: NodeJS.WriteStream): Progress => {
  let lastShown = performance.now();
  let isDrawn = false;
  return {
    show(text) {
      const now = performance.now();
      if (now - lastShown < (stream.isTTY ? DRAW_INTERVAL : LINE_INTERVAL)) return;
      lastShown = now;
      isDrawn = stream.isTTY;
      stream.write(stream.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
    },
    end() {
      if (isDrawn) stream.write('\r\u001b[K');
    },
  };
};

const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/**
 * Returns a bar with rate and remaining time.
 *
 * @param share completed share, 0 to 1
 * @param begunAt the share at which this run began. Earlier runs do not count for the remaining time.
 * @param seconds since this run began
 */
export const barOf = ({
  share,
  begunAt,
  lines,
  seconds,
}: {
  share: number;
  begunAt: number;
  lines: number;
  seconds: number;
}): string => {
  const filled = Math.round(share * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const rate = seconds > 0 ? Math.round(lines / seconds) : 0;
  const left = share > begunAt ? ((1 - share) / (share - begunAt)) * seconds : undefined;
  const remaining = left === undefined ? '' : `, ${duration(left)} left`;
  return `${bar} ${(share * 100).toFixed(1)} %  ${lines} lines, ${rate}/s${remaining}`;
};
