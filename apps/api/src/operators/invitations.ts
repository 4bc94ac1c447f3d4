import {
  clock,
  conflict,
  type InvitedOperator,
  mailLink,
  mailPaths,
  notFound,
  type OperatorCreate,
  validationError,
} from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import type { Dependencies } from '../context.ts';

export type InvitationsOptions = {
  config: Pick<Dependencies['config'], 'DASHBOARD_URL'>;
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
  /** @throws {Refusal} NotFound; Conflict if the operator has a password */
  again(request: FastifyRequest, id: string): Promise<InvitedOperator>;
};

export const createInvitations = ({ config, sendsMail }: InvitationsOptions): Invitations => {
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
        const result = await request.store.operators.inviteAgain(id, mailed, clock.now());
        if (result === 'missing') throw notFound();
        if (result === 'notInvited')
          throw conflict(
            'not_invited',
            'This operator has a password already. Set a new one, or let the operator request one.',
          );
        return result;
      });
      return shown(made, mailed);
    },
  };
};
