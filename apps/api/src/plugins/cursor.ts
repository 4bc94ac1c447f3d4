import { validationError } from '@chairside/domain';
import type { Secrets } from '@chairside/mongodb';
import type { z } from 'zod';

/** What a cursor belongs to: it opens for no other list, filter or organization. */
export type CursorPlace = { organizationId: string; list: string; filter: object };

/** Opaque positions in a list. They are encrypted: their keys can be patient data, and a forged one does not open. */
export type Cursors<P> = {
  seal(position: P, place: CursorPlace): string;
  /** @throws {Refusal} ValidationError on `cursor` */
  open(cursor: string, place: CursorPlace): P;
};

const boundTo = ({ organizationId, list, filter }: CursorPlace) => ({
  collection: 'cursor',
  _id: organizationId,
  field: JSON.stringify([list, filter]),
});

export const createCursors = <P>(secrets: Secrets, positionSchema: z.ZodType<P>): Cursors<P> => ({
  seal: (position, place) =>
    Buffer.from(secrets.encrypt(JSON.stringify(position), boundTo(place))).toString('base64url'),

  open(cursor, place) {
    try {
      const text = secrets.decrypt(Buffer.from(cursor, 'base64url').toString(), boundTo(place));
      return positionSchema.parse(JSON.parse(text));
    } catch {
      throw validationError([
        {
          path: 'cursor',
          message: 'does not belong to this list with these filters; begin again without it',
        },
      ]);
    }
  },
});
