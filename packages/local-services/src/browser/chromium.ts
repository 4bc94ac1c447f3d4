/** A Chromium that a test can start. */
export type Browser = {
  /** The path of the program. */
  binary: string;
  /** Arguments that the program needs on this machine. */
  arguments: readonly string[];
  environment: NodeJS.ProcessEnv;
  /** A description for people: version and origin, such as "Chromium 156.0.8078.79 (Debian package, cached)". */
  description: string;
};

/**
 * The arguments that Chromium needs for the user of this process.
 *
 * - `--no-sandbox` only for root, because Chromium refuses to start its sandbox as root.
 * - `--disable-dev-shm-usage`, because a container's `/dev/shm` is often too small.
 */
export const chromiumArguments = (uid = process.getuid?.()): readonly string[] => [
  '--disable-dev-shm-usage',
  ...(uid === 0 ? ['--no-sandbox'] : []),
];
