import { createHmac, type KeyObject } from 'node:crypto';
import { counted, step, within } from '@chairside/concurrency';
import { ServiceError } from '@chairside/domain';
import { LRUCache } from 'lru-cache';
import { Binary } from 'mongodb';
import { type DataKeys, type OrganizationKeys, UnusableKeysError } from './data-keys.ts';
import { keyNumberOf, type SealedPlace, seal, unseal } from './sealed-value.ts';
import type { ReadSearchState, SearchState } from './search-state.ts';

/** How long the keys of an organization are used before they are read again, in milliseconds. */
export const KEYS_LIFE_MS = 60_000;
/** Maximum number of organizations whose keys are kept in memory. */
const MAX_ORGANIZATIONS = 10_000;
/** How often keys are read again because values name the same missing key, in milliseconds. */
const MISSING_MS = 1000;
/** How long a stopping process tries to store the counts of used keys, in milliseconds. */
const CLOSE_MS = 1000;
/** The number of values that a process seals before it adds them to the stored count. */
const USES_STEP = 10_000;
/**
 * With random nonces, a key may seal 2^32 values (NIST SP 800-38D, 8.3). After a quarter of that, the next data key is
 * created.
 */
const MAX_USES = 2 ** 30;
/** The length of a search token that is meant to identify one text, in bytes. */
const TOKEN_BYTES = 16;

/** A place in the data of a given organization. */
export type Place = Omit<SealedPlace, 'organizationId'>;

/** A stored value does not open. Only this value is affected. */
export class UnreadableValueError extends ServiceError {
  readonly place: Place;
  constructor(place: Place, cause?: unknown) {
    super(
      `The field ${place.field} of ${place.collection} ${place._id} cannot be decrypted. See docs/operation/repair.md, "A value that does not open".`,
      { cause },
    );
    this.place = place;
  }
}

/** A value was sealed with a data key that this process has not read yet. */
class UnknownKeyError extends ServiceError {}

/** Encrypts and decrypts what identifies the patients of one organization. */
export type Cipher = {
  /** Whether patients are written with tokens of their names and telephone numbers. */
  isSearchable: boolean;
  seal(text: string, place: Place): Buffer;
  /**
   * @param stored what a document has in this place
   * @throws {UnreadableValueError} if it is not a sealed value, was changed or moved, or was sealed with a key that is
   *   missing
   */
  open(stored: unknown, place: Place): string;
  /** Whether the data key that now seals has sealed what is stored. */
  isCurrent(stored: unknown): boolean;
  /** A keyed hash of a text, with which lists find the text. Equal texts have equal tokens. */
  token(field: string, text: string): Buffer;
  /** Calls a function that opens values, and once more if it met a data key that was created meanwhile. */
  opening<T>(read: () => T): T | Promise<T>;
};

const unusable = (): never => {
  throw new ServiceError('Something confidential was read or written without the keys of its organization.');
};

/** Stands in for a cipher where no value is sealed: for records and settings without confidential fields. */
export const noCipher: Cipher = {
  isSearchable: false,
  seal: unusable,
  open: unusable,
  isCurrent: unusable,
  token: unusable,
  opening: (read) => read(),
};

/** The ciphers of all organizations. */
export type Ciphers = {
  /**
   * @throws the error of the vault, {@link KeysDestroyedError} if the organization was deleted, or
   *   {@link UnusableKeysError}
   */
  of(organizationId: string): Promise<Cipher>;
  /** Forgets the keys of an organization. */
  forget(organizationId: string): void;
  /** The share of the limit of uses that the most used data key of this process has reached. */
  usedShare(): number;
  /** Stores the counts of used keys, if the vault responds within a second. */
  close(): Promise<void>;
};

export type EncryptionListener = {
  /** Called for each stored value that does not open. */
  onUnreadable(error: UnreadableValueError): void;
  /** Called each time that the keys of an organization are needed and cannot be used. */
  onUnusableKeys(error: UnusableKeysError): void;
  /** Called if the count of used keys cannot be stored. It is tried again. */
  onError(error: unknown): void;
};

/** Returns a listener that logs and counts. */
export const loggedEncryption = (
  log: () => {
    error(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  },
  metrics: { unreadable(collection: string): void; keysUnusable(): void },
): EncryptionListener => ({
  onUnreadable(error) {
    metrics.unreadable(error.place.collection);
    log().error({ err: error, ...error.place }, 'a stored value cannot be decrypted');
  },
  onUnusableKeys(error) {
    metrics.keysUnusable();
    const { organizationId } = error;
    log().error({ err: error, organizationId }, 'the data keys of an organization cannot be used');
  },
  onError: (error) => log().warn({ err: error }, 'the use of a data key cannot be counted yet'),
});

export type CipherOptions = EncryptionListener & {
  keys: DataKeys;
  searchState: ReadSearchState;
};

type Held = {
  organizationId: string;
  keys: OrganizationKeys;
  search: SearchState;
  cipher: Cipher;
  /** The values that were sealed since the last count. */
  uses: number;
};

/**
 * @param readKeys reads the keys of the organization
 * @param onStep called each time that {@link USES_STEP} values have been sealed
 */
const createCipher = (
  held: Held,
  readKeys: () => Promise<OrganizationKeys>,
  onStep: () => void,
  onUnreadable: EncryptionListener['onUnreadable'],
): Cipher => {
  const { organizationId } = held;
  /** When a data key was last looked for in vain, by its number. */
  const missed = new Map<number, number>();
  const isKnownMissing = (number: number): boolean =>
    performance.now() - (missed.get(number) ?? Number.NEGATIVE_INFINITY) < MISSING_MS;
  /** Whether the keys have been read for this call. */
  let isFresh = false;
  const unreadable = (place: Place, cause?: unknown): UnreadableValueError => {
    const error = new UnreadableValueError(place, cause);
    onUnreadable(error);
    return error;
  };

  /** @throws {UnknownKeyError} if the key must be read first */
  const keyOf = (number: number): KeyObject | undefined => {
    const key = held.keys.data.get(number);
    if (key !== undefined) return key;
    if (isFresh) missed.set(number, performance.now());
    else if (!isKnownMissing(number))
      throw new UnknownKeyError(`The data key ${number} of ${organizationId} is not known.`);
    return undefined;
  };

  const open: Cipher['open'] = (stored, place) => {
    if (!(stored instanceof Binary)) throw unreadable(place);
    const sealed = stored.buffer;
    const number = keyNumberOf(sealed);
    const key = number === undefined ? undefined : keyOf(number);
    try {
      if (key === undefined) throw new ServiceError(`The data key ${number} does not exist.`);
      return unseal(key, sealed, { organizationId, ...place });
    } catch (cause) {
      throw unreadable(place, cause);
    }
  };

  return {
    isSearchable: held.search !== 'off',
    open,
    seal(text, place) {
      const number = held.keys.current;
      const key = held.keys.data.get(number);
      if (key === undefined) throw new ServiceError(`The organization ${organizationId} has no data key.`);
      held.uses++;
      if (held.uses % USES_STEP === 0) onStep();
      return seal(key, number, text, { organizationId, ...place });
    },
    isCurrent: (stored) => stored instanceof Binary && keyNumberOf(stored.buffer) === held.keys.current,
    token: (field, text) =>
      createHmac('sha256', held.keys.tokenKeyOf(field)).update(text).digest().subarray(0, TOKEN_BYTES),
    opening(read) {
      const again = async (error: unknown) => {
        if (!(error instanceof UnknownKeyError)) throw error;
        held.keys = await readKeys();
        isFresh = true;
        try {
          return counted(read);
        } finally {
          isFresh = false;
        }
      };
      try {
        const opened = step(read);
        return opened instanceof Promise ? opened.catch(again) : opened;
      } catch (error) {
        return again(error);
      }
    },
  };
};

export const openCiphers = ({
  keys,
  searchState,
  onUnreadable,
  onUnusableKeys,
  onError,
}: CipherOptions): Ciphers => {
  let mostUses = 0;

  const readKeys = async (organizationId: string): Promise<OrganizationKeys> => {
    try {
      return await keys.read(organizationId);
    } catch (error) {
      if (error instanceof UnusableKeysError) onUnusableKeys(error);
      throw error;
    }
  };

  const count = async (held: Held): Promise<void> => {
    const { organizationId, uses } = held;
    const { current } = held.keys;
    if (uses === 0) return;
    held.uses = 0;
    try {
      const total = await keys.addUses(organizationId, current, uses);
      mostUses = Math.max(mostUses, total);
      if (total < MAX_USES) return;
      await keys.addAfter(organizationId, current);
      cache.delete(organizationId);
    } catch (error) {
      held.uses += uses;
      onError(error);
    }
  };

  const cache = new LRUCache<string, Held>({
    max: MAX_ORGANIZATIONS,
    ttl: KEYS_LIFE_MS,
    ttlAutopurge: true,
    dispose: (held) => void count(held),
    fetchMethod: (organizationId) => load(organizationId),
    // Whoever waits for keys while they are forgotten gets those that were read. They are not remembered.
    ignoreFetchAbort: true,
  });

  const load = async (organizationId: string): Promise<Held> => {
    const [opened, search] = await Promise.all([readKeys(organizationId), searchState(organizationId)]);
    const held = { organizationId, keys: opened, search, uses: 0 } as Held;
    held.cipher = createCipher(
      held,
      () => readKeys(organizationId),
      () => void count(held),
      onUnreadable,
    );
    return held;
  };

  return {
    async of(organizationId) {
      const held = cache.get(organizationId) ?? (await cache.fetch(organizationId));
      if (held === undefined) throw new ServiceError(`The keys of ${organizationId} cannot be read.`);
      return held.cipher;
    },
    forget: (organizationId) => void cache.delete(organizationId),
    usedShare: () => mostUses / 2 ** 32,
    async close() {
      await within(Promise.all([...cache.values()].map(count)), CLOSE_MS);
      cache.clear();
    },
  };
};
