/** One thing that is wrong with a request: where, as a dotted path, and what to do about it. */
export type Issue = { path: string; message: string };

/** The stable names of refusals; the error handler of the api maps each to one HTTP status. */
export type RefusalName =
  | 'ValidationError'
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'Conflict'
  | 'PreconditionFailed'
  | 'PayloadTooLarge'
  | 'UnsupportedMediaType'
  | 'TooManyRequests'
  | 'ServiceUnavailable';

/**
 * A request that is refused for a reason that the caller may know.
 * `message` and `details` are public; `cause` is for the log.
 */
export class Refusal extends Error {
  override readonly name: RefusalName;
  readonly details: Record<string, unknown>;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;

  constructor(
    name: RefusalName,
    message: string,
    options: { details?: Record<string, unknown>; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = name;
    this.details = options.details ?? {};
    this.retryAfter = options.retryAfter;
  }
}

/** A refusal of what was sent, with all that is wrong with it. */
export const validationError = (issues: Issue[]): Refusal =>
  new Refusal(
    'ValidationError',
    `The request is not valid: ${issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ')}.`,
    { details: { issues } },
  );

/** The same words for a record that never existed and for one of another organization. */
export const notFound = (): Refusal => new Refusal('NotFound', 'There is no such record.');
