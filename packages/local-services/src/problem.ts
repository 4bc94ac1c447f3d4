/**
 * - `URL_UNUSABLE`: the server at MONGODB_URL or REDIS_URL does not respond or is too old.
 * - `BINARY_UNUSABLE`: the program at MONGODB_BINARY, REDIS_BINARY or CHROMIUM_BINARY is missing, is too old or does
 *   not run.
 * - `NO_ENGINE`: no source could provide the engine. The message lists the sources and the simplest solution.
 * - `ENGINE_FAILED`: an engine was found but does not run, for example on the existing data.
 * - `DATA_IN_USE`: the data directory belongs to a process that is still running.
 * - `NOT_OURS`: an engine that was given by its URL cannot be killed, halted or resumed.
 * - `DISK_FULL`, `NO_PERMISSION`: something could not be stored.
 */
export type ProblemCode =
  | 'URL_UNUSABLE'
  | 'BINARY_UNUSABLE'
  | 'NO_ENGINE'
  | 'ENGINE_FAILED'
  | 'DATA_IN_USE'
  | 'NOT_OURS'
  | 'DISK_FULL'
  | 'NO_PERMISSION';

/** The errors that this package throws intentionally. The message says what is wrong and, if possible, what to do. */
export class LocalServicesError extends Error {
  override readonly name = 'LocalServicesError';
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** The message of any thrown value on one line, for use within a sentence. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.trim().replace(/\s*\n\s*/g, '; ');
}

/** The code of a system error (`ENOENT`, `EACCES`, …); undefined for other errors. */
function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns an error if the machine cannot store files. No other source would help then, so the user must be informed.
 */
export function machineProblem(error: unknown): LocalServicesError | undefined {
  const code = systemCode(error);
  const text = reasonOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || /no space left on device|disk quota exceeded/i.test(text)) {
    return new LocalServicesError(
      'DISK_FULL',
      `The disk is full (${text}). Free some space (a first start needs up to 2 GB), or set CHAIRSIDE_CACHE_DIR to a folder on another disk.`,
      { cause: error },
    );
  }
  const path = forbiddenPath(error);
  if (path === undefined) return undefined;
  return new LocalServicesError(
    'NO_PERMISSION',
    `${path} cannot be created or written (${code}). Change its permissions, or set CHAIRSIDE_CACHE_DIR to a folder that you can write to.`,
    { cause: error },
  );
}

/**
 * Returns the path of a refused file operation; undefined for a program that may not be executed, which is a different
 * problem.
 */
function forbiddenPath(error: unknown): string | undefined {
  if (!['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
  const { path, syscall } = error as NodeJS.ErrnoException;
  return syscall?.startsWith('spawn') ? undefined : path;
}
