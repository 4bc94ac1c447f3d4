import {
  MAX_OPERATORS_CREATED_PER_HOUR,
  notFound,
  type Operator,
  type OperatorCreate,
  type OperatorUpdate,
  Refusal,
  type ResourceLimit,
  validationError,
} from '@chairside/domain';
import type { OperatorResult } from '@chairside/mongodb';
import type { RateLimiter } from '@chairside/queue';
import type { FastifyRequest } from 'fastify';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import { callLimit, tooManyRequests } from '../http/call-limits.ts';
import { siteOf } from '../http/caller-network.ts';
import { requireSameId } from '../http/path-id.ts';

/** E-mail addresses that an organization may try: each try shows whether any operator of the service has the address. */
const ADDRESSES_TRIED = { calls: MAX_OPERATORS_CREATED_PER_HOUR, seconds: 3600 } as const;

export const operatorLimits: readonly ResourceLimit[] = [
  callLimit(
    'operator_addresses',
    'Signing in',
    'E-mail addresses that one organization gives to operators, taken ones included',
    ADDRESSES_TRIED,
  ),
];

/** The changes that administrators make to operators. Each is audited; those that show whether an address is taken are limited. */
export type OperatorChanges = {
  create(request: FastifyRequest, body: OperatorCreate): Promise<Operator>;
  update(request: FastifyRequest, id: string, body: OperatorUpdate): Promise<Operator>;
  remove(request: FastifyRequest, id: string): Promise<Operator>;
};

const emailTaken = (): Refusal =>
  validationError([{ path: 'email', message: 'already belongs to another operator; use another one' }]);

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

export const createOperatorChanges = (limiter: Pick<RateLimiter, 'take'>): OperatorChanges => {
  const countAddress = async ({ principal: { organizationId } }: FastifyRequest): Promise<void> => {
    const state = await limiter.take(`operator-addresses:${organizationId}`, ADDRESSES_TRIED);
    if (state.isAllowed) return;
    throw tooManyRequests(
      'operator_addresses',
      `An organization may create ${ADDRESSES_TRIED.calls} operators, or change their e-mail addresses, in an hour.`,
      state,
    );
  };

  /** Hashing may wait for seconds: in between the caller may have lost the role. */
  const hashing = (request: FastifyRequest) => ({
    site: siteOf(request.ip),
    stillAllowed: () => request.authorizeAgain(),
  });

  return {
    async create(request, body) {
      const action = { action: 'created', kind: 'operator', ids: [], changes: changesOf(body) } as const;
      const create = async () => {
        await countAddress(request);
        const operator = { ...body, passwordChangeRequired: true };
        const made = await request.store.operators.create(operator, new Date(), hashing(request));
        if (made === 'emailTaken') throw emailTaken();
        return made;
      };
      return withAuditEntry(request, action, create, ({ _id }) => [_id]);
    },

    async update(request, id, { _id, email, role, active, password }) {
      requireSameId(_id, id);
      if (password !== undefined && id === request.principal.id) {
        const message = 'is your own: change it with PUT /api/sessions/current/password';
        throw validationError([{ path: 'password', message }]);
      }
      const changes = { email, role, active, password };
      const action = { action: 'updated', kind: 'operator', ids: [id], changes: changesOf(changes) } as const;
      return withAuditEntry(request, action, async () => {
        // What GET returned may be sent back: only another address is a try.
        if (email !== undefined && email !== (await request.store.operators.find(id))?.email)
          await countAddress(request);
        const wanted = { ...changes, passwordChangeRequired: true };
        return done(await request.store.operators.update(id, wanted, new Date(), hashing(request)));
      });
    },

    async remove(request, id) {
      const action = { action: 'deleted', kind: 'operator', ids: [id] } as const;
      return withAuditEntry(request, action, async () => done(await request.store.operators.remove(id)));
    },
  };
};
