import type { FairQueue } from '@chairside/concurrency';
import { ServiceError } from '@chairside/domain';
import { VERSION } from '@chairside/startup';
import { McpServer, type McpServerFactory, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Dependencies, Grant } from './context.ts';
import { tools } from './tools/index.ts';
import { refusedTurn, runTool, type Tool } from './tools/tool.ts';

const IMPLEMENTATION = { name: 'chairside', title: 'Chairside', version: VERSION };

const INSTRUCTIONS =
  'Chairside returns the schedule of a dental practice: clinics, providers, procedures with prices, free slots, calendar blocks, and the number of appointments of each day. Call list_clinics first. All tools are read-only: none can book, change or cancel anything. There are no patients, contact details, single appointments or treatments here, so do not ask for them.';

/** How long a client may cache the list of tools. The list changes only with the version of the connector. */
const TOOLS_TTL_MS = 3_600_000;
const CACHE = { ttlMs: TOOLS_TTL_MS, cacheScope: 'private' } as const;

const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Returns a schema whose JSON Schema is generated only once. The SDK asks for it on each request. */
const convertedOnce = (schema: z.ZodObject): StandardSchemaWithJSON => {
  const { version, vendor, validate, jsonSchema } = schema['~standard'];
  const once = (convert: typeof jsonSchema.input): typeof jsonSchema.input => {
    const made = new Map<string, Record<string, unknown>>();
    return (options) => {
      const found = made.get(options.target) ?? convert(options);
      made.set(options.target, found);
      return found;
    };
  };
  const converters = { input: once(jsonSchema.input), output: once(jsonSchema.output) };
  return { '~standard': { version, vendor, validate, jsonSchema: converters } };
};

/** The registration of each tool for the SDK, by the name of the tool. */
const registrations = new Map(
  tools.map(({ name, title, description, input, output }) => [
    name,
    {
      title,
      description,
      inputSchema: convertedOnce(input),
      outputSchema: convertedOnce(output),
      annotations: ANNOTATIONS,
    },
  ]),
);

/** The tool that a message calls; undefined for any other message. */
export const toolCalledBy = (message: unknown): Tool | undefined => {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' ? tools.find(({ name }) => name === params?.name) : undefined;
};

/** A request whose access token was checked. */
type Authorized = FastifyRequest & { grant: Grant; gone: AbortSignal };
const requestOf = (extra: Record<string, unknown> | undefined): Authorized => {
  const { request } = extra as { request: FastifyRequest };
  if (request.grant === null || request.gone === null) throw new ServiceError('The request has no grant.');
  return request as Authorized;
};

/** What the tools of a request use. */
type Served = Required<Pick<Dependencies, 'schedule' | 'now'>> & { turns: FairQueue };

const register = (
  server: McpServer,
  tool: Tool,
  request: Authorized,
  { schedule, turns, now }: Served,
): void => {
  const { name } = tool;
  const registration = registrations.get(name);
  if (registration === undefined) throw new ServiceError('The tool is not in the list of tools.');
  server.registerTool(name, registration, async (given) => {
    const { organizationId } = request.grant;
    const { response, ...call } = await turns
      .run(organizationId, () => {
        const context = {
          schedule: schedule.organization(organizationId),
          now: now(),
          gone: request.gone,
        };
        return runTool(tool, context, given as object);
      })
      .catch(refusedTurn);
    request.toolCall = { tool: name, ...call };
    return response;
  });
};

/**
 * Builds the server of one request. It reads the organization of the grant, and knows only the tools that the request
 * needs.
 */
export const serverFactory =
  (dependencies: Served): McpServerFactory =>
  ({ authInfo }) => {
    const request = requestOf(authInfo?.extra);
    const server = new McpServer(IMPLEMENTATION, {
      capabilities: { tools: { listChanged: false } },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': CACHE, 'server/discover': CACHE },
    });
    const called = toolCalledBy(request.body);
    for (const tool of called === undefined ? tools : [called]) register(server, tool, request, dependencies);
    return server;
  };
