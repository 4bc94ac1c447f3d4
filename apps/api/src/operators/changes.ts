import {
  clock,
  conflict,
  type InvitedOperator,
  MAX_OPERATORS,
  MAX_OPERATORS_CREATED_PER_HOUR,
  notFound,
  type Operator,
  type OperatorCreate,
  type OperatorUpdate,
  type Refusal,
  type ResourceLimit,
  type Session,
  validationError,
} from '@chairside/domain';
import { siteOf } from '@chairside/http-server';
import type { OperatorResult } from '@chairside/mongodb';
import type { Strength } from '@chairside/passwords';
import type { RateLimiter } from '@chairside/queue';
import type { FastifyRequest } from 'fastify';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import { callLimit, countCall } from '../http/rate-limit-refusal.ts';
import { requireStrongPassword } from '../passwords/new-password.ts';
import { requireMatch } from '../records/entity-tags.ts';
import type { Invitations } from './invitations.ts';

/**
 * How many e-mail addresses an organization may try in an hour. The number is limited, because each try reveals whether
 * an operator of another organization has the address.
 */
const ADDRESSES_TRIED = { calls: MAX_OPERATORS_CREATED_PER_HOUR, seconds: 3600 } as const;

/** How many passwords an organization may choose for its operators in a minute. To judge one takes up to 0.3 s of a core. */
const PASSWORDS_CHOSEN = { calls: 30, seconds: 60 } as const;

export const operatorLimits: readonly ResourceLimit[] = [
  callLimit(
    'operator_addresses',
    'Signing in',
    'E-mail addresses that one organization tries to give to operators, including addresses that are taken',
    ADDRESSES_TRIED,
  ),
  callLimit(
    'operator_passwords',
    'Signing in',
    'Passwords that administrators of one organization choose for operators',
    PASSWORDS_CHOSEN,
  ),
];

/**
 * The changes that administrators make to operators. Each is audited. Changes that show whether an e-mail address is
 * taken are limited.
 */
export type OperatorChanges = {
  /** Creates an operator, or invites one if the body has no password. */
  create(request: FastifyRequest, body: OperatorCreate): Promise<InvitedOperator>;
  update(request: FastifyRequest, id: string, body: OperatorUpdate): Promise<Operator>;
  remove(request: FastifyRequest, id: string): Promise<Operator>;
  /** Ends all sessions of an operator, and returns them. */
  endSessions(request: FastifyRequest, id: string): Promise<Session[]>;
  /** Removes the factors of another operator, and returns the operator. */
  resetFactors(request: FastifyRequest, id: string): Promise<Operator>;
};

const emailTaken = (): Refusal =>
  validationError([
    { path: 'email', message: 'already belongs to another operator; use another address', code: 'taken' },
  ]);

const tooManyOperators = (): Refusal =>
  validationError([
    {
      path: '',
      message: `the organization already has ${MAX_OPERATORS} operators, the maximum; delete one first`,
      code: 'limit_reached',
    },
  ]);

const done = (result: OperatorResult): Operator => {
  switch (result.outcome) {
    case 'done':
      return result.operator;
    case 'missing':
      throw notFound();
    case 'emailTaken':
      throw emailTaken();
    case 'lastAdministrator':
      throw conflict(
        'last_administrator',
        'This is the last administrator who can sign in. Make another operator an administrator first.',
      );
  }
};

export const createOperatorChanges = (
  limiter: Pick<RateLimiter, 'take'>,
  strength: Strength,
  invitations: Invitations,
): OperatorChanges => {
  const countAddress = ({ principal: { organizationId } }: FastifyRequest): Promise<void> =>
    countCall(limiter, `operator-addresses:${organizationId}`, ADDRESSES_TRIED, {
      limit: 'operator_addresses',
      what: `An organization may set at most ${ADDRESSES_TRIED.calls} e-mail addresses of operators in an hour.`,
    });

  /**
   * Checks the caller again after hashing. A hash may wait for seconds, and the caller may lose the role during that
   * time.
   */
  const hashing = (request: FastifyRequest) => ({
    site: siteOf(request.callerAddress),
    stillAllowed: () => request.authorizeAgain(),
  });

  const requireStrong = async (request: FastifyRequest, password: string, email: string): Promise<void> => {
    await countCall(limiter, `operator-passwords:${request.principal.organizationId}`, PASSWORDS_CHOSEN, {
      limit: 'operator_passwords',
      what: `An organization may choose at most ${PASSWORDS_CHOSEN.calls} passwords of operators in a minute.`,
    });
    const organizationName = await request.store.organizationName();
    const of = { email, organizationName };
    await requireStrongPassword(strength, 'password', password, of, request.callerAddress);
  };

  return {
    async create(request, given) {
      const { password, ...body } = given;
      const { operators } = request.store;
      if (password === undefined)
        return invitations.invite(request, body, async (isMailed) => {
          await countAddress(request);
          const made = await operators.invite(body, isMailed, clock.now());
          if (made === 'emailTaken') throw emailTaken();
          if (made === 'limitReached') throw tooManyOperators();
          return made;
        });
      await requireStrong(request, password, body.email);
      const action = {
        action: 'created',
        kind: 'operator',
        ids: [],
        changes: changesOf(given),
      } as const;
      const create = async () => {
        await countAddress(request);
        const operator = { ...body, password, passwordChangeRequired: true };
        const made = await operators.create(operator, clock.now(), hashing(request));
        if (made === 'emailTaken') throw emailTaken();
        if (made === 'limitReached') throw tooManyOperators();
        return made;
      };
      return withAuditEntry(request, action, create, ({ _id }) => [_id]);
    },

    async update(request, id, { email, role, name, active, password }) {
      if (password !== undefined && id === request.principal.id) {
        const message =
          'must not be your own; change your own password with PUT /api/sessions/current/password';
        throw validationError([{ path: 'password', message, code: 'read_only' }]);
      }
      const check = requireMatch(request, 'operator');
      if (password !== undefined) {
        const address = email ?? (await request.store.operators.find(id))?.email ?? '';
        await requireStrong(request, password, address);
      }
      const changes = { email, role, name, active, password };
      const action = { action: 'updated', kind: 'operator', ids: [id], changes: changesOf(changes) } as const;
      return withAuditEntry(request, action, async () => {
        // The body may be the response of a GET, so only an address that differs counts as a try.
        if (email !== undefined && email !== (await request.store.operators.find(id))?.email)
          await countAddress(request);
        const wanted = { ...changes, passwordChangeRequired: true };
        return done(
          await request.store.operators.update(id, wanted, clock.now(), { ...hashing(request), check }),
        );
      });
    },

    async remove(request, id) {
      const check = requireMatch(request, 'operator');
      const action = { action: 'deleted', kind: 'operator', ids: [id] } as const;
      return withAuditEntry(request, action, async () =>
        done(await request.store.operators.remove(id, check)),
      );
    },

    async resetFactors(request, id) {
      if (id === request.principal.id)
        throw conflict('own_factors', 'Remove your own factors under your account.');
      const changes = [{ field: 'factor', value: 'all' }];
      const action = { action: 'factor_removed', kind: 'operator', ids: [id], changes } as const;
      return withAuditEntry(request, action, async () => {
        const { operators, factors } = request.store;
        const isReset = (await factors.reset(id, clock.now())) !== undefined;
        const operator = await operators.find(id);
        if (operator === undefined) throw notFound();
        if (!isReset) throw conflict('no_factor', 'This operator has no factor.');
        return operator;
      });
    },

    async endSessions(request, id) {
      const action = { action: 'sessions_ended', kind: 'operator', ids: [id] } as const;
      return withAuditEntry(request, action, async () => {
        const ended = await request.store.operators.endSessions(id, clock.now());
        if (ended === undefined) throw notFound();
        return ended;
      });
    },
  };
};
