import {
  notFound,
  type Operator,
  operatorCreateSchema,
  operatorSchema,
  operatorUpdateSchema,
  Refusal,
  sessionSchema,
  validationError,
} from '@chairside/domain';
import type { OperatorResult } from '@chairside/mongodb';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { pathId, requireSameId } from '../plugins/path-id.ts';

const config = { access: { role: 'administrator' } } as const;
const params = pathId('operatorId');
const response = { 200: operatorSchema };
const tags = ['Operators'];
const one = '/api/operators/:operatorId';

const emailTaken = (): Refusal =>
  validationError([{ path: 'email', message: 'belongs to another operator already' }]);

const done = (result: OperatorResult): Operator => {
  switch (result.outcome) {
    case 'done':
      return result.operator;
    case 'missing':
      throw notFound();
    case 'emailTaken':
      throw emailTaken();
    case 'lastAdministrator':
      throw new Refusal(
        'Conflict',
        'This is the last administrator who can sign in. Make another operator an administrator first.',
      );
  }
};

/** The people who sign in. */
export const operatorRoutes = (app: App, { store }: Dependencies): void => {
  const operatorsFor = ({ principal }: { principal: { organizationId: string } }) =>
    store.organization(principal.organizationId).operators;

  app.get(
    '/api/operators',
    {
      config,
      schema: {
        tags,
        operationId: 'listOperators',
        summary: 'List operators',
        description: 'All of the organization, without their passwords.',
        response: { 200: z.array(operatorSchema) },
      },
    },
    (request) => operatorsFor(request).list(),
  );

  app.post(
    '/api/operators',
    {
      config,
      schema: {
        tags,
        operationId: 'createOperator',
        summary: 'Create an operator',
        description: 'The operator can sign in at once.',
        body: operatorCreateSchema,
        response,
      },
    },
    async (request) => {
      const made = await operatorsFor(request).create(request.body, new Date());
      if (made === 'emailTaken') throw emailTaken();
      return made;
    },
  );

  app.put(
    one,
    {
      config,
      schema: {
        tags,
        operationId: 'updateOperator',
        summary: 'Change an operator',
        description:
          'Another role, another password or disabling ends the sessions. 409 for the last administrator.',
        refusals: [409],
        params,
        body: operatorUpdateSchema,
        response,
      },
    },
    async (request) => {
      const { _id, email, role, active, password } = request.body;
      const { operatorId } = request.params;
      requireSameId(_id, operatorId);
      const changes = { email, role, active, password };
      return done(await operatorsFor(request).update(operatorId, changes, new Date()));
    },
  );

  app.delete(
    one,
    {
      config,
      schema: {
        tags,
        operationId: 'deleteOperator',
        summary: 'Delete an operator',
        description: 'Ends the sessions and answers the operator. 409 for the last administrator.',
        refusals: [409],
        params,
        response,
      },
    },
    async (request) => done(await operatorsFor(request).remove(request.params.operatorId)),
  );

  app.get(
    `${one}/sessions`,
    {
      config,
      schema: {
        tags,
        operationId: 'listOperatorSessions',
        summary: 'List the sessions of an operator',
        description: 'Those that have not ended, the oldest first.',
        params,
        response: { 200: z.array(sessionSchema) },
      },
    },
    async (request) => {
      const sessions = await operatorsFor(request).sessions(request.params.operatorId, new Date());
      if (sessions === undefined) throw notFound();
      return sessions;
    },
  );
};
