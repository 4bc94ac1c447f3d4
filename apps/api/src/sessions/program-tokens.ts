import {
  clock,
  conflict,
  MAX_PROGRAM_TOKENS,
  type ProgramToken,
  type ProgramTokenCreate,
  programTokenCreateSchema,
  programTokenSchema,
  programTokenWithSecretSchema,
  validationError,
} from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import type { App } from '../context.ts';
import { operatorOf } from '../http/operator.ts';
import { requireClinics } from '../records/references.ts';

const path = '/api/sessions/current/tokens';
const tags = ['Sessions'];

const createProgramToken = async (
  request: FastifyRequest,
  body: ProgramTokenCreate,
): Promise<ProgramToken & { token: string }> => {
  await requireClinics(request.store, body.clinicIds ?? []);
  const { sessionId } = operatorOf(request);
  const created = await request.store.programTokens.create(sessionId, body, clock.now());
  if (created === 'limitReached') {
    const message = `the organization already has ${MAX_PROGRAM_TOKENS} program tokens, the maximum; end one first`;
    throw validationError([{ path: '', message, code: 'limit_reached' }]);
  }
  if (created === 'sessionEnded') {
    throw conflict('session_ended', 'Your session ended during this request. Sign in again.');
  }
  return created;
};

/** Registers the routes that create and list program tokens. `DELETE /api/sessions/{sessionId}` ends one. */
export const programTokenRoutes = (app: App): void => {
  app.post(
    path,
    {
      config: { access: { role: 'administrator', confirmed: true } },
      schema: {
        tags,
        operationId: 'createProgramToken',
        example: { lastUsedTime: undefined },
        summary: 'Create an access token for a program',
        description: `Creates a program token and returns it. The token is shown only once. Programs send it in \`Authorization: Token\`, like the access token of a session. It can only do what its \`access\` says, and does not end while it is unused. It ends after \`lifetimeDays\`, when its operator is deleted or disabled, or gets another role or password, when all sessions of its operator are ended, and with \`DELETE /api/sessions/{sessionId}\`. An organization can have ${MAX_PROGRAM_TOKENS} program tokens.`,
        refusals: [409],
        body: programTokenCreateSchema,
        response: { 200: programTokenWithSecretSchema },
      },
    },
    async (request) => {
      const changes = changesOf(request.body);
      return withAuditEntry(
        request,
        { action: 'token_created', kind: 'session', ids: [], changes },
        () => createProgramToken(request, request.body),
        ({ _id }) => [_id],
      );
    },
  );

  app.get(
    path,
    {
      config: { access: { role: 'administrator' } },
      schema: {
        tags,
        operationId: 'listProgramTokens',
        summary: 'List the access tokens for programs',
        description:
          'Returns the program tokens of all operators of the organization that have not ended, the oldest first, without the tokens themselves.',
        response: { 200: z.array(programTokenSchema) },
      },
    },
    (request) => request.store.programTokens.list(clock.now()),
  );
};
