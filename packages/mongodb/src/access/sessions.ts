import {
  ACCESS_TOKEN_PREFIX,
  type AddedFactorKind,
  MAX_SESSIONS,
  MAX_USER_AGENT_LENGTH,
  newId,
  type Principal,
  type Role,
  SESSION_IDLE_LIFE_MS,
  SESSION_LIFE_MS,
  type Session,
} from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { deleteUnique, findUnique, untilNoDeadlock } from '../driver/ferretdb.ts';
import { rowsOf } from '../driver/rows.ts';
import { atOnce } from '../driver/statements.ts';
import { hashOf, newSecret } from '../encryption/secrets.ts';
import type { Stops } from '../stops/stops.ts';
import type { Asked, AskedOperator, Challenges } from './challenges.ts';
import { addedKindsOf, isFactorRequired, kindsOf } from './factor-document.ts';
import { isActive, MAX_KNOWN_NETWORKS, type OperatorDocument } from './operator-document.ts';
import type { FactorRequirements } from './organization-document.ts';
import type { Passwords } from './passwords.ts';

/** The resolution of the last-use time of a session, so that not every request causes a write. */
const USE_RESOLUTION_MS = 60_000;

export type SessionDocument = {
  _id: string;
  organizationId: string;
  operatorId: string;
  tokenHash: string;
  /**
   * The operator's `accessRevision` at sign-in. The session is valid only while the operator still has this revision.
   */
  accessRevision?: number;
  createdTime: Date;
  usedTime: Date;
  /** When the password was last entered, at sign-in or later. */
  confirmedTime?: Date;
  /** When the password was last entered to change the factors. A sign-in does not count. */
  factorsConfirmedTime?: Date;
  /** The caller's address at sign-in. */
  address?: string;
  /** The `User-Agent` at sign-in. */
  userAgent?: string;
  expireAt: Date;
};

/** The origin of a sign-in. */
export type SignInSource = {
  /** The caller's network, which is stored if the sign-in succeeds. */
  network: string;
  /** The caller's site. Sites take turns in the queue of password hashes. */
  site: string;
  address?: string | undefined;
  userAgent?: string | undefined;
};

export type OperatorPrincipal = Extract<Principal, { kind: 'operator' }>;

/** The result of a sign-in. */
export type SignInResult =
  | {
      outcome: 'signed_in';
      organizationId: string;
      session: Session & { token: string };
      /** The ids of the sessions that the sign-in has ended, because the operator had too many. */
      endedSessions: string[];
    }
  /**
   * The operator exists, but the password is wrong, the operator is disabled, or the operator's access has changed
   * during the sign-in.
   */
  | { outcome: 'refused'; organizationId: string; operatorId: string }
  /** The password is right, and the organization is suspended. */
  | { outcome: 'suspended'; organizationId: string; operatorId: string }
  /** The password is right, and the operator is asked for something else, too. */
  | { outcome: 'asked'; organizationId: string; operatorId: string; asked: Asked }
  | { outcome: 'unknown' };

/** The sessions of all organizations. A token identifies its session without the organization. */
export type Sessions = {
  /**
   * Signs an operator in. If the operator then has more than the maximum number of sessions, the sessions that were
   * used least recently end.
   */
  signIn(email: string, password: string, now: Date, from?: SignInSource): Promise<SignInResult>;
  /** Begins the session of an operator who has answered a challenge. */
  begin(
    operator: AskedOperator,
    now: Date,
    from: SignInSource,
  ): Promise<Extract<SignInResult, { outcome: 'signed_in' | 'refused' | 'suspended' }>>;
  /** Whether an operator with this e-mail address has signed in from this network before. */
  isKnown(email: string, network: string): Promise<boolean>;
  /**
   * Finds the operator of this token, in the current state. Returns undefined if the token is unknown or expired, or if
   * the operator's access has changed since the sign-in.
   */
  findOperator(
    token: string,
    now: Date,
    request?: {
      /**
       * Whether a program sent the request without an action of the operator. Such a request does not count as a use of
       * the session, so it does not postpone the idle timeout.
       */
      isBackground?: boolean;
    },
  ): Promise<OperatorPrincipal | undefined>;
  /** Finds the session of an authenticated operator, with the operator's e-mail address and name. */
  find(
    principal: OperatorPrincipal,
  ): Promise<(Session & { name?: string; factors: AddedFactorKind[] }) | undefined>;
  /**
   * Records that the password was entered again.
   *
   * @param isForFactors whether it was entered to change the factors
   */
  confirm(sessionId: string, organizationId: string, now: Date, isForFactors: boolean): Promise<void>;
  /**
   * Streams at most `limit` of the operator's own sessions that have not ended, the oldest first.
   *
   * @param after the `_id` of the last session of the previous page
   */
  page(
    principal: OperatorPrincipal,
    now: Date,
    page: { after?: string | undefined; limit: number },
  ): AsyncIterable<Session>;
  /** Ends one of the operator's own sessions and returns it; undefined if the operator has no such session. */
  endOwn(principal: OperatorPrincipal, sessionId: string): Promise<Session | undefined>;
  end(sessionId: string, organizationId: string): Promise<void>;
};

export const toSession = (document: Omit<SessionDocument, 'tokenHash'>, role: Role): Session => ({
  _id: document._id,
  operatorId: document.operatorId,
  role,
  createdTime: document.createdTime.toISOString(),
  lastUsedTime: document.usedTime.toISOString(),
  confirmedTime: confirmedTimeOf(document).toISOString(),
  expiryTime: new Date(document.createdTime.getTime() + SESSION_LIFE_MS).toISOString(),
  ...(document.address !== undefined && { address: document.address }),
  ...(document.userAgent !== undefined && { userAgent: document.userAgent }),
});

const confirmedTimeOf = ({
  confirmedTime,
  createdTime,
}: Pick<SessionDocument, 'confirmedTime' | 'createdTime'>): Date => confirmedTime ?? createdTime;

/**
 * Compares sessions: the one that was used last comes first. Equal times are ordered by id, so that all processes
 * agree.
 */
const byLastUse = (
  one: Pick<SessionDocument, '_id' | 'usedTime'>,
  other: Pick<SessionDocument, '_id' | 'usedTime'>,
): number => other.usedTime.getTime() - one.usedTime.getTime() || (one._id < other._id ? 1 : -1);

/**
 * Ends the least recently used sessions of an operator with more than the maximum number of sessions. It is called
 * after the new session is stored. So of several concurrent sign-ins, the last one to read the sessions sees them all.
 *
 * @param own the id of the new session
 * @returns the ids of the ended sessions
 */
const endExcessSessions = async (
  sessions: Collection<SessionDocument>,
  { _id: own, organizationId, operatorId }: SessionDocument,
  now: Date,
): Promise<string[]> => {
  const of = { organizationId, operatorId };
  const ended = new Set<string>();
  for (let isMoved = false; ; ) {
    const open = await sessions
      .find({ ...of, expireAt: { $gt: now } }, { projection: { usedTime: 1 }, ...atOnce(MAX_SESSIONS + 1) })
      .toArray();
    for (const { _id } of open) ended.delete(_id);
    open.sort(byLastUse);
    const excess = open.slice(MAX_SESSIONS);
    const [latest, next] = [open[0], excess[0]];
    if (latest === undefined || next === undefined) return [...ended];
    if (!isMoved && excess.some(({ _id }) => _id === own)) {
      // The clock of another process is ahead, or other sign-ins have overtaken this one. The new session counts as the
      // last one that was used, once, so that concurrent sign-ins do not overtake each other forever.
      const usedTime = new Date(latest.usedTime.getTime() + 1);
      await sessions.updateOne({ ...of, _id: own }, { $max: { usedTime } });
      isMoved = true;
      continue;
    }
    const ids = excess.map(({ _id }) => _id);
    // A session that was used since it was read is no longer the least recently used one. The sessions are read again
    // after the deletion, because another one then ends instead.
    const unused = { ...of, _id: { $in: ids }, usedTime: { $lte: next.usedTime } };
    await untilNoDeadlock(() => sessions.deleteMany(unused));
    for (const id of ids) ended.add(id);
  }
};

const expiry = (createdTime: Date, usedTime: Date): Date =>
  new Date(Math.min(createdTime.getTime() + SESSION_LIFE_MS, usedTime.getTime() + SESSION_IDLE_LIFE_MS));

/**
 * Stores the time and the network of a sign-in. A network is added with one atomic update, so that two concurrent
 * sign-ins store both of their networks. The same update stores that the operator is to be told of a new one.
 */
const rememberSignIn = async (
  operators: Collection<OperatorDocument>,
  { _id, networks = [] }: Pick<OperatorDocument, '_id' | 'networks'>,
  network: string,
  now: Date,
): Promise<void> => {
  await operators.updateOne({ _id }, { $max: { lastSignInTime: now } });
  if (networks.includes(network)) return;
  const all = { $concatArrays: [{ $ifNull: ['$networks', []] }, [{ $literal: network }]] };
  // The first network is not new.
  const told = networks.length > 0 && {
    'untold.network': {
      since: { $ifNull: ['$untold.network.since', now] },
      time: now,
      network: { $literal: network },
      count: { $add: [{ $ifNull: ['$untold.network.count', 0] }, 1] },
    },
    noticeAt: now,
  };
  await operators.updateOne({ _id, networks: { $ne: network } }, [
    { $set: { networks: { $slice: [all, -MAX_KNOWN_NETWORKS] }, ...told } },
  ]);
};

export type SessionsOptions = {
  sessions: Collection<SessionDocument>;
  operators: Collection<OperatorDocument>;
  passwords: Passwords;
  challenges: Challenges;
  stops: Stops;
  factorRequirements: FactorRequirements;
};

export const openSessions = (options: SessionsOptions): Sessions => {
  const { sessions, operators, passwords, challenges, stops, factorRequirements } = options;
  /** Finds the operator of a session, unless the operator's access has changed since sign-in. */
  const operatorOf = async ({
    operatorId,
    organizationId,
    accessRevision = 0,
  }: Pick<SessionDocument, 'operatorId' | 'organizationId' | 'accessRevision'>) => {
    const operator = await findUnique(
      operators,
      { _id: operatorId, organizationId, ...isActive },
      {
        role: 1,
        accessRevision: 1,
        passwordChangeRequired: 1,
        networks: 1,
        codeSecret: 1,
        'passkeys._id': 1,
      },
    );
    return (operator?.accessRevision ?? 0) === accessRevision ? operator : undefined;
  };

  /** Whether the organization requires a factor of this operator, who has none. */
  const lacksFactor = async (
    organizationId: string,
    operator: Pick<OperatorDocument, 'role' | 'codeSecret' | 'passkeys'>,
  ): Promise<boolean> =>
    kindsOf(operator).length === 0 &&
    isFactorRequired(await factorRequirements.of(organizationId).get(), operator);

  const begin: Sessions['begin'] = async (
    { organizationId, operatorId, accessRevision },
    now,
    { network, address, userAgent },
  ) => {
    if ((await stops.read()).organizations.has(organizationId))
      return { outcome: 'suspended', organizationId, operatorId };
    const token = newSecret(ACCESS_TOKEN_PREFIX);
    const session: SessionDocument = {
      _id: newId(now),
      organizationId,
      operatorId,
      tokenHash: hashOf(token),
      accessRevision,
      createdTime: now,
      usedTime: now,
      confirmedTime: now,
      ...(address !== undefined && { address }),
      ...(userAgent !== undefined && { userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH) }),
      expireAt: expiry(now, now),
    };
    await sessions.insertOne(session);
    // The operator's access may have changed while the password or the answer was checked. The session is then invalid and
    // is deleted.
    const current = await operatorOf(session);
    if (current === undefined) {
      await deleteUnique(sessions, { _id: session._id });
      return { outcome: 'refused', organizationId, operatorId };
    }
    const endedSessions = await endExcessSessions(sessions, session, now);
    await rememberSignIn(operators, current, network, now);
    return {
      outcome: 'signed_in',
      organizationId,
      endedSessions,
      session: { ...toSession(session, current.role), token },
    };
  };

  return {
    begin,

    async signIn(email, password, now, from = { network: 'local', site: 'local' }) {
      const operator = await findUnique(operators, { emailLowerCase: email.toLowerCase() });
      const isRight = await passwords.matches(password, operator?.passwordHash, from.site);
      if (operator === undefined) return { outcome: 'unknown' };
      const { organizationId, _id: operatorId, accessRevision = 0 } = operator;
      if (!isRight || operator.disabledTime !== undefined)
        return { outcome: 'refused', organizationId, operatorId };
      const asked = { organizationId, operatorId, accessRevision };
      const kinds = kindsOf(operator);
      if (kinds.length === 0) return begin(asked, now, from);
      const challenge = await challenges.create('sign-in', asked, now);
      return { outcome: 'asked', organizationId, operatorId, asked: { kinds, challenge } };
    },

    async isKnown(email, network) {
      const known = { emailLowerCase: email.toLowerCase(), networks: network };
      return (await findUnique(operators, known, { _id: 1 })) !== undefined;
    },

    async findOperator(token, now, { isBackground = false } = {}) {
      const session = await findUnique(sessions, { tokenHash: hashOf(token), expireAt: { $gt: now } });
      if (session === undefined) return undefined;
      const operator = await operatorOf(session);
      if (operator === undefined) return undefined;
      if (!isBackground && now.getTime() - session.usedTime.getTime() > USE_RESOLUTION_MS) {
        await sessions.updateOne(
          { _id: session._id },
          { $max: { usedTime: now, expireAt: expiry(session.createdTime, now) } },
        );
      }
      return {
        kind: 'operator',
        id: session.operatorId,
        organizationId: session.organizationId,
        role: operator.role,
        sessionId: session._id,
        confirmedTime: confirmedTimeOf(session),
        ...(session.factorsConfirmedTime && { factorsConfirmedTime: session.factorsConfirmedTime }),
        passwordChangeRequired: operator.passwordChangeRequired === true,
        factorRequired: await lacksFactor(session.organizationId, operator),
      };
    },

    async find({ id, sessionId, organizationId, role }) {
      const [session, operator] = await Promise.all([
        findUnique(sessions, { _id: sessionId, organizationId }),
        findUnique(
          operators,
          { _id: id, organizationId },
          { email: 1, name: 1, codeSecret: 1, 'passkeys._id': 1 },
        ),
      ]);
      return (
        session && {
          ...toSession(session, role),
          factors: addedKindsOf(operator ?? {}),
          ...(operator && { email: operator.email, ...(operator.name && { name: operator.name }) }),
        }
      );
    },

    async confirm(sessionId, organizationId, now, isForFactors) {
      await sessions.updateOne(
        { _id: sessionId, organizationId },
        { $max: { confirmedTime: now, ...(isForFactors && { factorsConfirmedTime: now }) } },
      );
    },

    async *page({ id: operatorId, organizationId, role }, now, { after, limit }) {
      const open = {
        organizationId,
        operatorId,
        ...(after !== undefined && { _id: { $gt: after } }),
        expireAt: { $gt: now },
      };
      yield* rowsOf(sessions.find(open, { sort: { _id: 1 }, limit }), (document) =>
        toSession(document, role),
      );
    },

    async endOwn({ id: operatorId, organizationId, role }, _id) {
      const document = await findUnique(sessions, { _id, organizationId, operatorId });
      if (document === undefined) return undefined;
      await deleteUnique(sessions, { _id, organizationId });
      return toSession(document, role);
    },

    async end(sessionId, organizationId) {
      await deleteUnique(sessions, { _id: sessionId, organizationId });
    },
  };
};
