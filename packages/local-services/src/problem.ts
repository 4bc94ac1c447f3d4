/**
 * - `URL_UNUSABLE`: a given MONGODB_URL or REDIS_URL does not answer, or is too old.
 * - `BINARY_UNUSABLE`: a given MONGODB_BINARY or REDIS_BINARY is missing, too old or does not run.
 * - `NO_ENGINE`: no source could provide the engine; the text names each and the shortest way out.
 * - `ENGINE_FAILED`: an engine was found but does not run on the given data.
 * - `DATA_IN_USE`: the data directory belongs to a process that is still running.
 * - `NOT_OURS`: asked to kill, halt or resume an engine that was given by its URL.
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

/** Everything this package throws on purpose. The message is for people and says what to do. */
export class LocalServicesError extends Error {
  override readonly name = 'LocalServicesError';
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** The text of anything thrown, on one line, for a reason within a sentence. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.trim().replace(/\s*\n\s*/g, '; ');
}

/** What the operating system calls the failure (`ENOENT`, `EACCES`, …), when it was one of its own. */
function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The machine cannot store what any source would need: no reason to try the next one, but to tell the user. */
export function machineProblem(error: unknown): LocalServicesError | undefined {
  const code = systemCode(error);
  const text = reasonOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || /no space left on device|disk quota exceeded/i.test(text)) {
    return new LocalServicesError(
      'DISK_FULL',
      `The disk is full (${text}). Free some space, of which a first start needs up to 2 GB, or set CHAIRSIDE_CACHE_DIR to a folder on another disk.`,
      { cause: error },
    );
  }
  const path = forbiddenPath(error);
  if (path === undefined) return undefined;
  return new LocalServicesError(
    'NO_PERMISSION',
    `${path} cannot be made or written (${code}). Make it yours, or set CHAIRSIDE_CACHE_DIR to a folder that is.`,
    { cause: error },
  );
}

/** The path of a refused file operation. A program that may not be run is another matter. */
function forbiddenPath(error: unknown): string | undefined {
  if (!['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
  const { path, syscall } = error as NodeJS.ErrnoException;
  return syscall?.startsWith('spawn') ? undefined : path;
}
