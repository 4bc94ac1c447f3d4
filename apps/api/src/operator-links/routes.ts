import { finished } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  answerIn,
  clock,
  completedInvitationSchema,
  conflict,
  emptySchema,
  type FactorAnswer,
  invitationCompletionSchema,
  type LinkMailKind,
  passwordResetCompletionSchema,
  passwordResetRequestSchema,
  passwordResetStateSchema,
  Refusal,
  type ResourceLimit,
} from '@chairside/domain';
import { networkOf, siteOf } from '@chairside/http-server';
import type { Challenges, LinkedOperator } from '@chairside/mongodb';
import { counterKey } from '@chairside/queue';
import type { FastifyRequest } from 'fastify';
import type { App, Dependencies } from '../context.ts';
import { type Answers, askingFor, wrongAnswer } from '../factors/answers.ts';
import { callLimit, countCall } from '../http/rate-limit-refusal.ts';
import type { KnowsMail } from '../mail/known-mail.ts';
import { mailsToAddressLimits, takeMailTo } from '../mail/mails-to-address.ts';
import { requireStrongPassword } from '../passwords/new-password.ts';

const HOUR = 3600;
/**
 * A mail is made up to this long after the response, in milliseconds, at a random time. If it were made at once, the next
 * request would take longer after one for an address that an operator has (bench/links/results.md).
 */
const MAX_PAUSE_MS = 2000;

const RESETS_OF_NETWORK = { calls: 20, seconds: HOUR } as const;
const LINKS_OF_NETWORK = { calls: 50, seconds: 60 } as const;

export const operatorLinkLimits: readonly ResourceLimit[] = [
  callLimit(
    'resets_of_network',
    'Signing in',
    'Requests for a new password from one network',
    RESETS_OF_NETWORK,
  ),
  ...mailsToAddressLimits('reset', 'Mails with a link for a new password to one e-mail address').map(
    // Another response would reveal which addresses operators have.
    ({ metric, ...row }) => ({ ...row, beyond: 'the response is the same, and no mail is sent' }),
  ),
  callLimit(
    'links_of_network',
    'Signing in',
    'Links of invitations and new passwords that one network tries to use',
    LINKS_OF_NETWORK,
  ),
];

/** What somebody with a link has chosen. */
type Chosen = {
  secret: string;
  password: string;
  name?: string | undefined;
  answer?: FactorAnswer | undefined;
};

const tags = ['Links'];
const config = { access: 'public' } as const;

/** A link that is unknown, has ended, or was used. All look the same. */
const linkEnded = (kind: LinkMailKind): Refusal =>
  new Refusal(
    'BadRequest',
    kind === 'invitation'
      ? 'This invitation has ended or was used. Ask an administrator of your practice for a new one.'
      : 'This link has ended or was used. Request a new password again.',
  );

/**
 * Requires the factor of an operator who has one, besides the link.
 *
 * @throws {Refusal} Unauthorized without an answer, or with a wrong one
 */
const requireAnswer = async (
  { answers, challenges }: { answers: Answers; challenges: Challenges },
  { organizationId, operatorId, accessRevision, kinds }: LinkedOperator,
  answer: FactorAnswer | undefined,
): Promise<void> => {
  if (kinds.length === 0) return;
  const asked = { organizationId, operatorId, accessRevision };
  const answered = answer && (await answers.check(answer, ['reset'], asked));
  if (answered?.outcome === 'right') return;
  if (answered?.outcome === 'wrong') throw wrongAnswer(kinds);
  const challenge = await challenges.create('reset', asked, clock.now());
  throw askingFor('Unauthorized', { kinds, challenge });
};

/** Registers the routes of the links that operators get by mail. They need no session. */
export const operatorLinkRoutes = (
  app: App,
  {
    store,
    limiter,
    strength,
    answers,
    knowsMail,
  }: Pick<Dependencies, 'store' | 'limiter' | 'strength'> & { answers: Answers; knowsMail: KnowsMail },
): void => {
  const { operatorLinks, sendsMail, audit, challenges } = store.everyOrganization;
  /** Work that goes on after its response. The app waits for it when it closes. */
  const inBackground = new Set<Promise<void>>();
  const closing = new AbortController();
  app.addHook('onClose', async () => {
    closing.abort();
    await Promise.all(inBackground);
  });
  const pause = (): Promise<void> =>
    sleep(Math.random() * MAX_PAUSE_MS, undefined, { signal: closing.signal }).catch(() => {});

  const audited = (
    { organizationId, operatorId }: { organizationId: string; operatorId: string },
    action: 'reset_requested' | 'password_reset' | 'invitation_completed',
    { callerAddress: address, id: requestId }: FastifyRequest,
    principal: { kind: 'operator' | 'unknown'; id: string },
  ) =>
    audit.add(organizationId, {
      action,
      kind: 'operator',
      ids: [operatorId],
      principal,
      address,
      requestId,
      result: 'ok',
    });

  /** Uses a link. @returns the e-mail address of the operator */
  const complete = async (
    kind: LinkMailKind,
    request: FastifyRequest,
    { secret, password, name, answer }: Chosen,
  ): Promise<string> => {
    const address = request.callerAddress;
    const key = counterKey('links', networkOf(address));
    await countCall(limiter, key, LINKS_OF_NETWORK, {
      limit: 'links_of_network',
      what: 'Too many links are tried from your network.',
    });
    const linked = await operatorLinks.find(kind, secret, clock.now());
    if (linked === undefined) throw linkEnded(kind);
    await requireStrongPassword(strength, 'password', password, linked, address);
    await requireAnswer({ answers, challenges }, linked, answer);
    const chosen = { password, name };
    if (!(await operatorLinks.complete(kind, secret, chosen, clock.now(), siteOf(address))))
      throw linkEnded(kind);
    const action = kind === 'invitation' ? 'invitation_completed' : 'password_reset';
    await audited(linked, action, request, { kind: 'operator', id: linked.operatorId });
    return linked.email;
  };

  /** Mails a link, unless its address has had enough of them. Runs some time after the response, whose time reveals nothing. */
  const requestReset = async (request: FastifyRequest, email: string): Promise<void> => {
    if ((await takeMailTo(limiter, 'reset', email)) !== undefined) return;
    const found = await operatorLinks.requestReset(email, clock.now());
    if (found === undefined) return;
    const unknown = { kind: 'unknown', id: networkOf(request.callerAddress) } as const;
    await audited(found, 'reset_requested', request, unknown);
  };

  app.post(
    '/api/invitations/complete',
    {
      config,
      schema: {
        tags,
        operationId: 'completeInvitation',
        summary: 'Accept an invitation',
        description:
          'Chooses the password of an operator who was invited, and optionally the name. `secret` is what follows the `#` of the link. The link works once, for 72 hours. Returns 400 if it has ended or was used.',
        refusals: [429, 503],
        body: invitationCompletionSchema,
        response: { 200: completedInvitationSchema },
      },
    },
    async (request) => ({ email: await complete('invitation', request, request.body) }),
  );

  app.get(
    '/api/passwordresets',
    {
      config,
      schema: {
        tags,
        operationId: 'getPasswordResetState',
        summary: 'Find out whether new passwords are mailed',
        description:
          'Tells a sign-in page whether a forgotten password can be replaced with a mailed link. The state may be five seconds old.',
        refusals: [503],
        response: { 200: passwordResetStateSchema },
      },
    },
    async () => ({ mail: await knowsMail() }),
  );

  app.post(
    '/api/passwordresets',
    {
      config,
      schema: {
        tags,
        operationId: 'requestPasswordReset',
        summary: 'Request a new password',
        description:
          'Mails a link for a new password to the operator with this e-mail address, if there is one. The response is the same for every address. An address gets at most one mail in five minutes and five in a day. Returns 409 if the service sends no mail: an administrator of the practice sets a new password then.',
        refusals: [409, 429, 503],
        body: passwordResetRequestSchema,
        response: { 200: emptySchema },
      },
    },
    async (request, reply) => {
      const key = counterKey('reset-network', networkOf(request.callerAddress));
      await countCall(limiter, key, RESETS_OF_NETWORK, {
        limit: 'resets_of_network',
        what: 'Too many new passwords are requested from your network.',
      });
      if (!(await sendsMail()))
        throw conflict('no_mail', 'This service sends no mail. Ask an administrator of your practice.');
      const { email } = request.body;
      finished(reply.raw, () => {
        const work = pause()
          .then(() => requestReset(request, email))
          .catch((error: unknown) => request.log.error({ err: error }, 'a new password could not be mailed'))
          .finally(() => inBackground.delete(work));
        inBackground.add(work);
      });
      return {};
    },
  );

  app.post(
    '/api/passwordresets/complete',
    {
      config,
      schema: {
        tags,
        operationId: 'completePasswordReset',
        summary: 'Choose a new password',
        description:
          'Sets a new password with a mailed link, which works once, for 30 minutes. `secret` is what follows the `#` of the link. All sessions, program tokens and connected apps of the operator end. Returns 400 if the link has ended or was used. An operator who has a factor gets a 401 with `requiredSecondFactor` and `challenge`: send the request again with the answer.',
        refusals: [401, 429, 503],
        body: passwordResetCompletionSchema,
        response: { 200: emptySchema },
      },
    },
    async (request) => {
      const { secret, password } = request.body;
      await complete('password_reset', request, { secret, password, answer: answerIn(request.body) });
      return {};
    },
  );
};
