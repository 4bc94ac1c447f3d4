import { ServiceError } from '@chairside/domain';
import { type AnyBulkWriteOperation, Binary, type Filter } from 'mongodb';
import type { Database } from '../driver/database.ts';
import { type Ciphers, UnreadableValueError } from '../encryption/ciphers.ts';
import {
  type BadValue,
  type PartProgress,
  pagesOf,
  type SealedPart,
  type Stored,
  sealedParts,
  writeAll,
} from './sealed-parts.ts';

/**
 * Opens what is stored sealed.
 *
 * @param limit the number of documents of each part to open; default: all
 * @returns the number of opened values, and the documents with one that does not open
 */
export const checkSealed = async (
  database: Database,
  ciphers: Pick<Ciphers, 'of'>,
  onProgress: PartProgress,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ opened: number; refused: BadValue[] }> => {
  const refused: BadValue[] = [];
  let opened = 0;
  const check = async (part: SealedPart, document: Stored): Promise<void> => {
    try {
      const cipher = await ciphers.of(document.organizationId);
      for (const { sealed, place } of part.valuesOf(document)) {
        await cipher.opening(() => cipher.open(sealed, place));
        opened++;
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused.push({ name: part.name, _id: document._id });
    }
  };
  for (const part of sealedParts) {
    let done = 0;
    for await (const page of pagesOf(database, part, part.holders)) {
      for (const document of page) await check(part, document);
      done += page.length;
      onProgress({ name: part.name, done });
      if (done >= limit) break;
    }
  }
  return { opened, refused };
};

export type ResealReport = { resealed: number; current: number; refused: BadValue[] };

/**
 * Seals everything of an organization again that another than its current data key has sealed. The call may be interrupted
 * and repeated. A concurrent write takes precedence.
 */
export const resealOrganization = async (
  database: Database,
  ciphers: Pick<Ciphers, 'of'>,
  organizationId: string,
  onProgress: PartProgress,
): Promise<ResealReport> => {
  const report: ResealReport = { resealed: 0, current: 0, refused: [] };
  const reseal = async (part: SealedPart, document: Stored): Promise<AnyBulkWriteOperation<Stored>[]> => {
    const cipher = await ciphers.of(organizationId);
    const old = part.valuesOf(document).filter(({ sealed }) => !cipher.isCurrent(sealed));
    report.current += part.valuesOf(document).length - old.length;
    try {
      return await Promise.all(
        old.map(async ({ sealed, place, path, filter }) => {
          const text = await cipher.opening(() => cipher.open(sealed, place));
          const same = { _id: document._id, organizationId, ...filter } as Filter<Stored>;
          const update = { $set: { [path]: new Binary(cipher.seal(text, place)) } };
          return { updateOne: { filter: same, update } };
        }),
      );
    } catch (error) {
      if (!(error instanceof UnreadableValueError)) throw error;
      report.refused.push({ name: part.name, _id: document._id });
      return [];
    }
  };
  for (const part of sealedParts) {
    let done = 0;
    for await (const page of pagesOf(database, part, {
      ...part.holders,
      organizationId,
    } as Filter<Stored>)) {
      const writes = (await Promise.all(page.map((document) => reseal(part, document)))).flat();
      report.resealed += await writeAll(database.collection<Stored>(part.collection), writes);
      done += page.length;
      onProgress({ name: part.name, done });
    }
  }
  return report;
};
