import {
  clock,
  invitedOperatorSchema,
  MAX_OPERATORS,
  MAX_OPERATORS_CREATED_PER_HOUR,
  notFound,
  operatorCreateSchema,
  operatorSchema,
  operatorUpdateSchema,
  sessionSchema,
} from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { tagged } from '../records/entity-tags.ts';
import { createOperatorChanges, type OperatorChanges } from './changes.ts';
import { createInvitations } from './invitations.ts';

const config = { access: { role: 'administrator' } } as const;
const confirmed = { access: { role: 'administrator', confirmed: true } } as const;
const versioned = { ...confirmed, versioned: 'changes' } as const;
const params = pathId('operatorId');
const response = { 200: operatorSchema };
const tags = ['Operators'];
const one = '/api/operators/:operatorId';

/** Registers the routes that end the access of an operator. */
const accessRoutes = (app: App, changes: OperatorChanges): void => {
  app.delete(
    `${one}/factors`,
    {
      config: confirmed,
      schema: {
        tags,
        operationId: 'resetOperatorFactors',
        example: { disabledTime: undefined },
        summary: 'Remove the factors of an operator',
        description:
          'Removes all passkeys, the app for codes and the recovery codes of an operator who has lost them, ends the sessions and program tokens of the operator, and returns the operator. The operator signs in with the password alone, and adds a factor again if the organization requires one. Your own factors are removed with `DELETE /api/sessions/current/factors/…`. Returns 409 if there is no factor.',
        refusals: [409],
        params,
        response,
      },
    },
    (request) => changes.resetFactors(request, request.params.operatorId),
  );

  app.get(
    `${one}/sessions`,
    {
      config,
      schema: {
        tags,
        operationId: 'listOperatorSessions',
        summary: 'List the sessions of an operator',
        description: 'Returns the open sessions, the oldest first.',
        params,
        response: { 200: z.array(sessionSchema) },
      },
    },
    async (request) => {
      const sessions = await request.store.operators.sessions(request.params.operatorId, clock.now());
      if (sessions === undefined) throw notFound();
      return sessions;
    },
  );

  app.delete(
    `${one}/sessions`,
    {
      config: confirmed,
      schema: {
        tags,
        operationId: 'endOperatorSessions',
        summary: 'End all sessions of an operator',
        description:
          'Ends all sessions of an operator and returns those that were open. Their access tokens stop working at once. The operator can sign in again; to prevent this, disable the operator. If you end your own sessions, you are signed out too.',
        params,
        response: { 200: z.array(sessionSchema) },
      },
    },
    (request) => changes.endSessions(request, request.params.operatorId),
  );
};

/** Registers the routes of operators. */
export const operatorRoutes = (
  app: App,
  {
    limiter,
    config: settings,
    store,
    strength,
  }: Pick<Dependencies, 'limiter' | 'config' | 'store' | 'strength'>,
): void => {
  const { sendsMail } = store.everyOrganization;
  const invitations = createInvitations({ config: settings, limiter, sendsMail });
  const changes = createOperatorChanges(limiter, strength, invitations);

  app.get(
    '/api/operators',
    {
      config,
      schema: {
        tags,
        operationId: 'listOperators',
        example: { disabledTime: undefined },
        summary: 'List operators',
        description: 'Returns all operators of the organization, without their passwords.',
        response: { 200: z.array(operatorSchema) },
      },
    },
    (request) => request.store.operators.list(),
  );

  app.post(
    '/api/operators',
    {
      config: versioned,
      schema: {
        tags,
        operationId: 'createOperator',
        example: { passwordChangeRequired: false, disabledTime: undefined, invitationUrl: undefined },
        summary: 'Create or invite an operator',
        description: `Creates an operator. Without \`password\`, the operator is invited: a mail has a link, with which the operator chooses a password within 72 hours. If the service sends no mail, the response has the link as \`invitationUrl\`, only once. With \`password\`, the operator can sign in immediately, but must change the password first. An e-mail address belongs to only one operator in the whole service, so a refusal reveals that the address is taken. Therefore an organization can try only ${MAX_OPERATORS_CREATED_PER_HOUR} addresses an hour, and each try leaves an audit entry. An organization can have ${MAX_OPERATORS} operators, including disabled ones.`,
        refusals: [429, 503],
        body: operatorCreateSchema,
        response: { 200: invitedOperatorSchema },
      },
    },
    async (request, reply) => tagged(reply, 'operator', await changes.create(request, request.body)),
  );

  app.get(
    one,
    {
      config: { ...config, versioned: 'changes' },
      schema: {
        tags,
        operationId: 'getOperator',
        example: { disabledTime: undefined },
        summary: 'Get one operator',
        description: 'Returns an operator, without the password.',
        params,
        response,
      },
    },
    async (request, reply) => {
      const found = await request.store.operators.find(request.params.operatorId);
      if (found === undefined) throw notFound();
      return tagged(reply, 'operator', found);
    },
  );

  app.put(
    one,
    {
      config: versioned,
      schema: {
        tags,
        operationId: 'updateOperator',
        example: { passwordChangeRequired: true, disabledTime: undefined },
        summary: 'Change an operator',
        description: `Changes an operator. The operator's sessions end if you change the role or the password, or disable the operator. If you set the password, the operator must change it at the next sign-in. A new e-mail address counts towards the limit for creating operators. Returns 409 if no administrator would remain.`,
        refusals: [409, 429, 503],
        params,
        body: operatorUpdateSchema,
        response,
      },
    },
    async (request, reply) =>
      tagged(reply, 'operator', await changes.update(request, request.params.operatorId, request.body)),
  );

  app.delete(
    one,
    {
      config: versioned,
      schema: {
        tags,
        operationId: 'deleteOperator',
        example: { disabledTime: undefined },
        summary: 'Delete an operator',
        description: `Deletes an operator, ends the operator's sessions and returns the operator. Returns 409 if no administrator would remain.`,
        refusals: [409],
        params,
        response,
      },
    },
    (request) => changes.remove(request, request.params.operatorId),
  );

  app.post(
    `${one}/invitation`,
    {
      config: confirmed,
      schema: {
        tags,
        operationId: 'inviteOperatorAgain',
        example: { disabledTime: undefined, invitationUrl: undefined },
        summary: 'Send an invitation again',
        description:
          'Makes a new link for an operator who was invited and has not chosen a password. The earlier link stops working. The link is mailed; if the service sends no mail, the response has it as `invitationUrl`, only once. Returns 409 if the operator has a password. To withdraw an invitation, delete the operator.',
        refusals: [409],
        params,
        response: { 200: invitedOperatorSchema },
      },
    },
    (request) => invitations.again(request, request.params.operatorId),
  );

  accessRoutes(app, changes);
};
