import {
  clock,
  conflict,
  type InvitedOperator,
  mailLink,
  mailPaths,
  notFound,
  type OperatorCreate,
  type Refusal,
  type ResourceLimit,
  validationError,
} from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import type { Dependencies } from '../context.ts';
import { tooManyRequests } from '../http/rate-limit-refusal.ts';
import { mailsToAddressLimits, takeMailTo } from '../mail/mails-to-address.ts';

export type InvitationsOptions = {
  config: Pick<Dependencies['config'], 'DASHBOARD_URL'>;
  limiter: Pick<Dependencies['limiter'], 'take'>;
  /** Whether the service sends mails. */
  sendsMail(): Promise<boolean>;
};

type Invited = { operator: InvitedOperator; secret: string };

/** How operators are invited: by mail, or with a link that the administrator passes on. */
export type Invitations = {
  /**
   * @param create stores the operator. It throws what the creation of an operator throws
   * @throws {Refusal} ValidationError if the service neither sends mails nor knows the address of the dashboard
   */
  invite(
    request: FastifyRequest,
    body: Omit<OperatorCreate, 'password'>,
    create: (isMailed: boolean) => Promise<Invited>,
  ): Promise<InvitedOperator>;
  /** @throws {Refusal} NotFound; Conflict if the operator has a password; TooManyRequests if the address has had enough mails */
  again(request: FastifyRequest, id: string): Promise<InvitedOperator>;
};

export const invitationLimits: readonly ResourceLimit[] = mailsToAddressLimits(
  'invitation',
  'Mails with a repeated invitation to one e-mail address',
);

export const createInvitations = ({ config, limiter, sendsMail }: InvitationsOptions): Invitations => {
  const { DASHBOARD_URL: dashboardUrl } = config;
  /** Whether an invitation is mailed. Otherwise the response has its link. */
  const isMailed = async (path: string): Promise<boolean> => {
    const isSent = await sendsMail();
    if (isSent || dashboardUrl !== undefined) return isSent;
    const message =
      'is required: the service sends no mails and does not know the address of the dashboard (DASHBOARD_URL), so it cannot invite anybody';
    throw validationError([{ path, message, code: 'required' }]);
  };
  const shown = ({ operator, secret }: Invited, mailed: boolean): InvitedOperator =>
    mailed || dashboardUrl === undefined
      ? operator
      : { ...operator, invitationUrl: mailLink(dashboardUrl, { path: mailPaths.invitation, secret }) };

  const notInvited = (): Refusal =>
    conflict(
      'not_invited',
      'This operator has a password already. Set a new one, or let the operator request one.',
    );
  /** @throws {Refusal} NotFound; Conflict if the operator has a password; TooManyRequests */
  const countMail = async (request: FastifyRequest, operatorId: string): Promise<void> => {
    const operator = await request.store.operators.find(operatorId);
    if (operator === undefined) throw notFound();
    if (operator.invitation === undefined) throw notInvited();
    const beyond = await takeMailTo(limiter, 'invitation', operator.email);
    if (beyond === undefined) return;
    const message = 'This address has had enough invitations.';
    throw tooManyRequests(beyond.id, message, beyond.state);
  };

  return {
    async invite(request, body, create) {
      const mailed = await isMailed('password');
      const action = { action: 'invited', kind: 'operator', ids: [], changes: changesOf(body) } as const;
      const made = await withAuditEntry(
        request,
        action,
        () => create(mailed),
        ({ operator }) => [operator._id],
      );
      return shown(made, mailed);
    },

    async again(request, id) {
      const mailed = await isMailed('');
      const action = { action: 'invited', kind: 'operator', ids: [id] } as const;
      const made = await withAuditEntry(request, action, async () => {
        if (mailed) await countMail(request, id);
        const result = await request.store.operators.inviteAgain(id, mailed, clock.now());
        if (result === 'missing') throw notFound();
        if (result === 'notInvited') throw notInvited();
        return result;
      });
      return shown(made, mailed);
    },
  };
};
