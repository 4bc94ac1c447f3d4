import {
  ACCESS_TOKEN_PREFIX,
  newId,
  type Principal,
  type Role,
  SESSION_IDLE_LIFE,
  SESSION_LIFE,
  type Session,
} from '@chairside/domain';
import type { Collection } from 'mongodb';
import { deleteUnique, findUnique } from './database.ts';
import type { OperatorDocument } from './operators.ts';
import { isPassword } from './passwords.ts';
import { hashOf, newSecret } from './secrets.ts';

/** How exactly the last use of a session is kept, in milliseconds: not every request is a write. */
const USE_RESOLUTION = 60_000;

export type SessionDocument = {
  _id: string;
  organizationId: string;
  operatorId: string;
  role: Role;
  tokenHash: string;
  createdTime: Date;
  usedTime: Date;
  expireAt: Date;
};

export type OperatorPrincipal = Extract<Principal, { kind: 'operator' }>;

/** The sessions of all organizations: a token alone says whose it is. */
export type Sessions = {
  /** @returns undefined when e-mail and password do not belong together */
  signIn(email: string, password: string, now: Date): Promise<(Session & { token: string }) | undefined>;
  /** Who presents this token; undefined when it is unknown, ended or too old. */
  findOperator(token: string, now: Date): Promise<OperatorPrincipal | undefined>;
  find(sessionId: string, organizationId: string): Promise<Session | undefined>;
  end(sessionId: string, organizationId: string): Promise<void>;
};

export const toSession = (document: Omit<SessionDocument, 'tokenHash'>): Session => ({
  _id: document._id,
  operatorId: document.operatorId,
  role: document.role,
  createdTime: document.createdTime.toISOString(),
  lastUsedTime: document.usedTime.toISOString(),
  expiryTime: new Date(document.createdTime.getTime() + SESSION_LIFE).toISOString(),
});

const expiry = (createdTime: Date, usedTime: Date): Date =>
  new Date(Math.min(createdTime.getTime() + SESSION_LIFE, usedTime.getTime() + SESSION_IDLE_LIFE));

export const openSessions = (
  sessions: Collection<SessionDocument>,
  operators: Collection<OperatorDocument>,
): Sessions => ({
  async signIn(email, password, now) {
    const mayEnter = { emailLowerCase: email.toLowerCase(), disabledTime: { $exists: false } };
    const operator = await findUnique(operators, mayEnter);
    if (!(await isPassword(password, operator?.passwordHash)) || operator === undefined) return undefined;
    const token = newSecret(ACCESS_TOKEN_PREFIX);
    const session: SessionDocument = {
      _id: newId(now),
      organizationId: operator.organizationId,
      operatorId: operator._id,
      role: operator.role,
      tokenHash: hashOf(token),
      createdTime: now,
      usedTime: now,
      expireAt: expiry(now, now),
    };
    await sessions.insertOne(session);
    // Disabled, or given another password, while this password was being checked: whoever did that has ended the
    // sessions that he saw, and this one ends itself.
    const { passwordHash } = operator;
    if ((await findUnique(operators, { ...mayEnter, passwordHash }, { _id: 1 })) === undefined) {
      await deleteUnique(sessions, { _id: session._id });
      return undefined;
    }
    return { ...toSession(session), token };
  },

  async findOperator(token, now) {
    const session = await sessions.findOne({ tokenHash: hashOf(token), expireAt: { $gt: now } });
    if (session === null) return undefined;
    if (now.getTime() - session.usedTime.getTime() > USE_RESOLUTION) {
      await sessions.updateOne(
        { _id: session._id },
        { $max: { usedTime: now, expireAt: expiry(session.createdTime, now) } },
      );
    }
    return {
      kind: 'operator',
      id: session.operatorId,
      organizationId: session.organizationId,
      role: session.role,
      sessionId: session._id,
    };
  },

  async find(sessionId, organizationId) {
    const session = await sessions.findOne({ _id: sessionId, organizationId });
    return session === null ? undefined : toSession(session);
  },

  async end(sessionId, organizationId) {
    await deleteUnique(sessions, { _id: sessionId, organizationId });
  },
});
