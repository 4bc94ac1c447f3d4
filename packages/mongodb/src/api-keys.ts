import { API_KEY_PREFIX, newId, type Principal, type Scope } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { hashOf, newSecret, type Secrets } from './secrets.ts';

export type ApiKeyDocument = {
  _id: string;
  organizationId: string;
  name: string;
  scopes: Scope[];
  secretHash: string;
  secret: string;
  createdTime: Date;
};

export type ApiKeyPrincipal = Extract<Principal, { kind: 'apiKey' }>;

/** The keys of one organization. */
export type ApiKeys = {
  /** @returns the key's id and its secret, which is not stored in clear */
  create(
    key: { name: string; scopes: readonly Scope[] },
    now: Date,
  ): Promise<{ _id: string; secret: string }>;
};

export const apiKeysOf = (
  collection: Collection<ApiKeyDocument>,
  secrets: Secrets,
  organizationId: string,
): ApiKeys => ({
  async create({ name, scopes }, now) {
    const _id = newId(now);
    const secret = newSecret(API_KEY_PREFIX);
    await collection.insertOne({
      _id,
      organizationId,
      name,
      scopes: [...scopes],
      secretHash: hashOf(secret),
      secret: secrets.encrypt(secret, { collection: 'apiKeys', _id, field: 'secret' }),
      createdTime: now,
    });
    return { _id, secret };
  },
});

/** Who presents this secret, in whatever organization; undefined when nobody has it. */
export const findApiKey = async (
  collection: Collection<ApiKeyDocument>,
  secret: string,
): Promise<ApiKeyPrincipal | undefined> => {
  const key = await collection.findOne(
    { secretHash: hashOf(secret) },
    { projection: { organizationId: 1, scopes: 1 } },
  );
  return key === null
    ? undefined
    : { kind: 'apiKey', id: key._id, organizationId: key.organizationId, scopes: key.scopes };
};
