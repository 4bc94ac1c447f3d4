import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const MAC_BYTES = 16;
const KEY_BYTES = 32;
const KEY_PURPOSE = 'chairside list cursor v1';

/** What a cursor belongs to: it opens for the same list of the same organization under the same filter only. */
export type CursorScope = {
  organizationId: string;
  list: string;
  filter: Readonly<Record<string, unknown>>;
};

/** Marks of where a page of a list ended, which a caller can keep and give back but not make. */
export type Cursors = {
  seal(scope: CursorScope, position: readonly string[]): string;
  /** @returns the position, or undefined for a cursor that is forged or belongs elsewhere */
  open(scope: CursorScope, cursor: string): string[] | undefined;
};

const canonical = ({ organizationId, list, filter }: CursorScope): string =>
  JSON.stringify([
    organizationId,
    list,
    Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);

/**
 * Cursors are a position and its HMAC: whoever could write one would page from where he is not meant to.
 *
 * @param encryptionKeys `id:base64,…` as in the settings; the first seals, under each of them a cursor opens, so that
 * a change of keys interrupts nobody. The key of the HMAC is derived from them (HKDF-SHA256), never the key itself.
 */
export const openCursors = (encryptionKeys: string): Cursors => {
  const keys = encryptionKeys.split(',').map((entry) => {
    const key = Buffer.from(entry.slice(entry.indexOf(':') + 1), 'base64');
    return Buffer.from(hkdfSync('sha256', key, '', KEY_PURPOSE, KEY_BYTES));
  });
  const macOf = (key: Buffer, scope: CursorScope, payload: Buffer): Buffer =>
    createHmac('sha256', key)
      .update(canonical(scope))
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, MAC_BYTES);

  return {
    seal(scope, position) {
      const payload = Buffer.from(JSON.stringify(position));
      const mac = macOf(keys[0] as Buffer, scope, payload);
      return Buffer.concat([mac, payload]).toString('base64url');
    },
    open(scope, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return undefined;
      const [mac, payload] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)];
      if (!keys.some((key) => timingSafeEqual(macOf(key, scope, payload), mac))) return undefined;
      return JSON.parse(payload.toString());
    },
  };
};
