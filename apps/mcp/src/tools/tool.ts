import { QueueFullError, WorkSpentError } from '@chairside/concurrency';
import { ServiceError } from '@chairside/domain';
import { mayReadLater, type OrganizationSchedule } from '@chairside/mongodb/schedule';
import { MAX_SLOTS } from '@chairside/schedule';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';

/**
 * Maximum number of rows of a list in a result. Assistants read the whole result, and a longer one would fill their
 * context.
 */
export const MAX_ROWS = MAX_SLOTS;

/**
 * How a call of a tool ended:
 *
 * - `answered`: with a result
 * - `invalid`: the message or its arguments are not valid
 * - `refused`: the arguments name something that does not exist here, or ask for too much, or the caller has disconnected
 * - `unavailable`: the database cannot be read, or too many calls wait
 * - `failed`: a bug; its details are in the log
 */
export type ToolOutcome = 'answered' | 'invalid' | 'refused' | 'unavailable' | 'failed';

/**
 * The input of a tool besides its arguments: the schedule of the organization of the access token, the time, and a signal
 * that is aborted when the caller has gone.
 */
export type ToolContext = { schedule: OrganizationSchedule; now: Date; gone: AbortSignal };

/** The result of a tool before it is parsed, or the reason for a refusal, which is sent to the assistant. */
export type ToolResult<Result> =
  | { outcome: 'answered'; result: Result }
  | { outcome: 'refused'; reason: string };

/** A tool. Its schemas are strict objects at every level. */
export type Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  run(context: ToolContext, input: z.output<Input>): Promise<ToolResult<z.input<Output>>>;
};

/** Infers the types of a tool from its schemas. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> => tool;

export const resultOf = <Result>(result: Result): ToolResult<Result> => ({ outcome: 'answered', result });
export const refused = (reason: string) => ({ outcome: 'refused', reason }) as const;

/** The first rows of a list, and whether there are more. */
export const firstRows = <Row>(rows: readonly Row[], isCut = false): { rows: Row[]; isCut: boolean } => ({
  rows: rows.slice(0, MAX_ROWS),
  isCut: isCut || rows.length > MAX_ROWS,
});

/**
 * Thrown if a result does not match the output schema of its tool. The details name fields of the schema, never a
 * value.
 */
class UnexpectedResult extends ServiceError {
  override readonly name = 'UnexpectedResult';
  readonly details: readonly { code: string; path: string }[];

  constructor({ issues }: z.core.$ZodError) {
    super('The result does not fit the output schema.');
    this.details = issues.map(({ code, path }) => ({ code, path: path.map(String).join('.') }));
  }
}

/** The outcome of a call, the response to send, and the cause of a failure. */
export type Ran = {
  outcome: ToolOutcome;
  /** The number of rows in the lists of the result. Lists inside of rows do not count. */
  rows: number;
  response: CallToolResult;
  cause?: unknown;
};

const errorText = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });

const rowsIn = (result: object): number =>
  Object.values(result).reduce((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0);

/** The outcome of a call that did not get its turn. @throws every other error */
export const refusedTurn = (cause: unknown): Ran => {
  if (!(cause instanceof QueueFullError)) throw cause;
  return { outcome: 'unavailable', rows: 0, response: errorText(INTERNAL), cause };
};

/**
 * Calls a tool. Every result is parsed with the output schema of the tool, and only the parsed value is sent. The SDK
 * would validate the result, but send the original with all additional fields. Error messages are not sent, because
 * they may quote stored data.
 *
 * @param input the arguments as the input schema has parsed them
 */
export const runTool = async (tool: Tool, context: ToolContext, input: object): Promise<Ran> => {
  let result: ToolResult<object>;
  try {
    context.gone.throwIfAborted();
    result = await tool.run(context, input as z.output<z.ZodObject>);
  } catch (cause) {
    if (context.gone.aborted) return { outcome: 'refused', rows: 0, response: errorText(GONE) };
    if (cause instanceof WorkSpentError)
      return { outcome: 'refused', rows: 0, response: errorText(cause.message), cause };
    const outcome = mayReadLater(cause) ? 'unavailable' : 'failed';
    return { outcome, rows: 0, response: errorText(INTERNAL), cause };
  }
  if (result.outcome === 'refused')
    return { outcome: 'refused', rows: 0, response: errorText(result.reason) };
  const parsed = tool.output.safeParse(result.result);
  if (!parsed.success)
    return {
      outcome: 'failed',
      rows: 0,
      response: errorText(INTERNAL),
      cause: new UnexpectedResult(parsed.error),
    };
  const { data } = parsed;
  return {
    outcome: 'answered',
    rows: rowsIn(data),
    response: { structuredContent: data, content: [{ type: 'text', text: JSON.stringify(data) }] },
  };
};

const GONE = 'The caller has disconnected.';
const INTERNAL = 'An internal error occurred. Try again later.';
