import { createHash } from 'node:crypto';
import {
  endingNoticeTime,
  MAX_PROGRAM_TOKENS,
  newId,
  PROGRAM_TOKEN_PREFIX,
  type Principal,
  type ProgramToken,
  type ProgramTokenCreate,
  type TokenAccess,
} from '@chairside/domain';
import type { Filter } from 'mongodb';
import type { AuditTrail } from '../audit/audit.ts';
import type { Collection } from '../driver/database.ts';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import { insertIntoFreeSlot, type Slotted } from '../driver/slots.ts';
import { atMost, byId } from '../driver/statements.ts';
import { hashOf, newSecret } from '../encryption/secrets.ts';
import type { Noticed } from '../mails/notice-time.ts';
import { type EndingDocument, enterEnding } from '../restores/endings.ts';
import { isActive, MAX_KNOWN_NETWORKS, type OperatorDocument } from './operator-document.ts';
import type { SessionDocument } from './sessions.ts';

const DAY = 24 * 60 * 60 * 1000;
/** The resolution of the last-use time of a token, so that not every request causes a write. */
const USE_RESOLUTION_MS = 60_000;

export type ProgramTokenDocument = Slotted &
  Noticed & {
    organizationId: string;
    operatorId: string;
    /** The operator's `accessRevision` at the creation. The token is valid only while the operator has this revision. */
    accessRevision: number;
    tokenHash: string;
    name: string;
    access: TokenAccess;
    clinicIds?: string[];
    /** The networks that the token was used from, in the order in which they were added. */
    networks?: string[];
    createdTime: Date;
    lastUsedTime?: Date;
    expiryTime: Date;
  };

export type ProgramTokenPrincipal = Extract<Principal, { kind: 'programToken' }>;

/** The origin of a request. */
type TokenUse = { network: string; address: string; requestId: string };

/** The program tokens of all organizations. */
export type EveryProgramToken = {
  /** Finds the principal of a token. Returns undefined if the token is unknown or has ended. */
  find(token: string, now: Date, network: string): Promise<ProgramTokenPrincipal | undefined>;
  /** Stores that a token was used from a network, with an audit entry, unless this is known. */
  addNetwork(token: Pick<ProgramTokenPrincipal, 'id' | 'organizationId'>, from: TokenUse): Promise<void>;
  /** Deletes at most `limit` tokens whose lifetime is over, each with an audit entry. Returns their number. */
  deleteExpired(now: Date, limit: number): Promise<number>;
};

/** The program tokens of one organization. */
export type ProgramTokens = {
  /** The tokens that have not ended, oldest first. */
  list(now: Date): Promise<ProgramToken[]>;
  /**
   * Creates a token with the access that the operator had at the sign-in.
   *
   * @param sessionId the session that creates the token
   * @returns the token, of which only the hash is stored. `limitReached` if the organization already has the maximum
   *   number of tokens, `sessionEnded` if the session ended meanwhile; nothing is stored then
   */
  create(
    sessionId: string,
    token: ProgramTokenCreate,
    now: Date,
  ): Promise<(ProgramToken & { token: string }) | 'limitReached' | 'sessionEnded'>;
  /** The token with this id, if it has not ended. */
  find(id: string, now: Date): Promise<ProgramToken | undefined>;
  /** Ends a token and returns it; undefined if there is no such token. */
  end(id: string, now: Date): Promise<ProgramToken | undefined>;
  /** Deletes the tokens of an operator whose access has changed since their creation, each with an audit entry. */
  endOf(operatorId: string): Promise<void>;
};

/** The collections of program tokens, and of what they depend on. */
export type ProgramTokenCollections = {
  programTokens: Collection<ProgramTokenDocument>;
  operators: Collection<OperatorDocument>;
  sessions: Collection<SessionDocument>;
  endings: Collection<EndingDocument>;
};

export const toProgramToken = (document: Omit<ProgramTokenDocument, 'tokenHash'>): ProgramToken => ({
  _id: document._id,
  operatorId: document.operatorId,
  name: document.name,
  access: document.access,
  ...(document.clinicIds && { clinicIds: document.clinicIds }),
  createdTime: document.createdTime.toISOString(),
  ...(document.lastUsedTime && { lastUsedTime: document.lastUsedTime.toISOString() }),
  expiryTime: document.expiryTime.toISOString(),
});

type Parts = Pick<ProgramTokenCollections, 'programTokens' | 'operators'> & {
  trail: Pick<AuditTrail, 'addUnique'>;
};

/** Returns the tokens of one organization whose operators have the same access as at the creation. */
const validAmong = async <T extends Pick<ProgramTokenDocument, 'operatorId' | 'accessRevision'>>(
  operators: Collection<OperatorDocument>,
  organizationId: string,
  tokens: readonly T[],
): Promise<T[]> => {
  if (tokens.length === 0) return [];
  const ids = [...new Set(tokens.map(({ operatorId }) => operatorId))];
  const found = await operators
    .find(
      { _id: { $in: ids }, organizationId, role: 'administrator', ...isActive },
      { projection: { accessRevision: 1 }, ...byId },
    )
    .toArray();
  const revisions = new Map(found.map(({ _id, accessRevision = 0 }) => [_id, accessRevision]));
  return tokens.filter(({ operatorId, accessRevision }) => revisions.get(operatorId) === accessRevision);
};

/**
 * Deletes tokens that have ended by themselves. The audit entry is stored first and has an id of its own. So a crash in
 * between leaves neither a token without an entry nor two entries.
 */
const deleteEnded = async (
  { programTokens, trail }: Pick<Parts, 'programTokens' | 'trail'>,
  ended: readonly Pick<ProgramTokenDocument, '_id' | 'organizationId'>[],
  reason: 'lifetime' | 'operator',
): Promise<void> => {
  for (const { _id, organizationId } of ended) {
    await trail.addUnique(organizationId, `ended-${_id}`, {
      action: 'token_ended',
      kind: 'session',
      ids: [_id],
      changes: [{ field: 'reason', value: reason }],
      principal: { kind: 'system', id: 'service' },
      requestId: newId(),
      result: 'ok',
    });
    await deleteUnique(programTokens, { _id, organizationId });
  }
};

/** Deletes those of an organization's tokens that have ended by themselves. */
const deleteEndedIn = async (
  parts: Parts,
  organizationId: string,
  tokens: readonly ProgramTokenDocument[],
  now: Date,
): Promise<void> => {
  const valid = new Set(await validAmong(parts.operators, organizationId, tokens));
  const [ofOperators, others] = [
    tokens.filter((token) => !valid.has(token)),
    [...valid].filter(({ expiryTime }) => expiryTime <= now),
  ];
  await deleteEnded(parts, ofOperators, 'operator');
  await deleteEnded(parts, others, 'lifetime');
};

export const openProgramTokens = ({ programTokens, operators, trail }: Parts): EveryProgramToken => {
  return {
    async find(secret, now, network) {
      const token = await findUnique(programTokens, {
        tokenHash: hashOf(secret),
        expiryTime: { $gt: now },
      });
      if (token === undefined) return undefined;
      const { _id: id, organizationId, access, clinicIds, networks = [], lastUsedTime } = token;
      if ((await validAmong(operators, organizationId, [token])).length === 0) return undefined;
      const minute = new Date(Math.floor(now.getTime() / USE_RESOLUTION_MS) * USE_RESOLUTION_MS);
      if (lastUsedTime === undefined || lastUsedTime < minute)
        await programTokens.updateOne({ _id: id, organizationId }, { $max: { lastUsedTime: minute } });
      const isFromNewNetwork = !networks.includes(network);
      return { kind: 'programToken', id, organizationId, access, clinicIds, isFromNewNetwork };
    },

    async addNetwork({ id: _id, organizationId }, { network, address, requestId }) {
      // The entry is stored before the network, so that a crash in between does not lose it.
      const digest = createHash('sha256').update(network).digest('base64url');
      await trail.addUnique(organizationId, `used-${_id}-${digest}`, {
        action: 'token_used',
        kind: 'session',
        ids: [_id],
        principal: { kind: 'programToken', id: _id },
        address,
        requestId,
        result: 'ok',
      });
      const all = { $concatArrays: [{ $ifNull: ['$networks', []] }, [{ $literal: network }]] };
      await programTokens.updateOne({ _id, organizationId, networks: { $ne: network } }, [
        { $set: { networks: { $slice: [all, -MAX_KNOWN_NETWORKS] } } },
      ]);
    },

    async deleteExpired(now, limit) {
      const expired = await programTokens
        .find({ expiryTime: { $lte: now } }, atMost(limit, 'expired'))
        .toArray();
      for (const [organizationId, tokens] of Map.groupBy(expired, (token) => token.organizationId))
        await deleteEndedIn({ programTokens, operators, trail }, organizationId, tokens, now);
      return expired.length;
    },
  };
};

/** @param organizationId every query of the returned repository contains this id */
export const programTokensOf = (
  {
    programTokens,
    operators,
    sessions,
    endings,
    trail,
  }: Parts & Pick<ProgramTokenCollections, 'sessions' | 'endings'>,
  organizationId: string,
): ProgramTokens => {
  const parts = { programTokens, operators, trail };
  const all = async (filter: Filter<ProgramTokenDocument> = {}) =>
    programTokens.find({ ...filter, organizationId }, { sort: { _id: 1 } }).toArray();
  const find = async (_id: string, now: Date): Promise<ProgramTokenDocument | undefined> => {
    const found = await all({ _id, expiryTime: { $gt: now } });
    return (await validAmong(operators, organizationId, found))[0];
  };
  const scope = { scope: { organizationId }, maximum: MAX_PROGRAM_TOKENS };

  return {
    async list(now) {
      const tokens = await all({ expiryTime: { $gt: now } });
      return (await validAmong(operators, organizationId, tokens)).map(toProgramToken);
    },

    async create(sessionId, { name, lifetimeDays, access, clinicIds }, now) {
      const session = await findUnique(sessions, { _id: sessionId, organizationId });
      if (session === undefined) return 'sessionEnded';
      const { operatorId, accessRevision = 0 } = session;
      const token = newSecret(PROGRAM_TOKEN_PREFIX);
      const expiryTime = new Date(now.getTime() + lifetimeDays * DAY);
      const document: ProgramTokenDocument = {
        _id: newId(now),
        organizationId,
        operatorId,
        accessRevision,
        tokenHash: hashOf(token),
        name,
        access,
        ...(clinicIds && { clinicIds }),
        createdTime: now,
        expiryTime,
        noticeAt: endingNoticeTime(expiryTime, now),
      };
      if (!(await insertIntoFreeSlot(programTokens, document, scope))) {
        // Tokens that have ended keep their slots until the sweep or, after a crash, their lifetime removes them.
        await deleteEndedIn(parts, organizationId, await all(), now);
        if (!(await insertIntoFreeSlot(programTokens, document, scope))) return 'limitReached';
      }
      // The operator's access may have changed since the session was read. The token is invalid then.
      if ((await validAmong(operators, organizationId, [document])).length === 0) {
        await deleteUnique(programTokens, { _id: document._id, organizationId });
        return 'sessionEnded';
      }
      return { ...toProgramToken(document), token };
    },

    async find(id, now) {
      const found = await find(id, now);
      return found && toProgramToken(found);
    },

    async end(_id, now) {
      const token = await find(_id, now);
      if (token === undefined) return undefined;
      await enterEnding(endings, { kind: 'programToken', id: _id, organizationId });
      if (!(await deleteUnique(programTokens, { _id, organizationId }))) return undefined;
      return toProgramToken(token);
    },

    async endOf(operatorId) {
      const tokens = await all({ operatorId });
      const valid = new Set(await validAmong(operators, organizationId, tokens));
      await deleteEnded(
        parts,
        tokens.filter((token) => !valid.has(token)),
        'operator',
      );
    },
  };
};
