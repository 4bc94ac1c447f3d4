import type { NoticeFact, NoticeRow } from '@chairside/domain';
import type { Document } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { atMost } from '../driver/statements.ts';
import { hasNotice, type Noticed } from '../mails/notice-time.ts';

/** The most documents with facts that are read of a collection in a round of an organization. */
const MAX_DOCUMENTS = 1000;

/** A fact that is stored and was not told. */
export type FoundFact = NoticeFact & {
  /** How a mail describes it. */
  row: NoticeRow;
  /** The id of the row that it speaks of, if that is not the subject. */
  rowId?: string;
  /** The operator who is told; absent if the administrators are. */
  to?: { operatorId: string /** Instead of the present address. */; address?: string };
  /**
   * The conditional update that marks it: it changes nothing if the fact is another one by now. Absent if removing `noticeAt`
   * marks it.
   */
  mark?: { condition: Document; update: Document | Document[] };
};

/** A document that is to be looked at. */
export type Looked = {
  collection: Collection<NoticedDocument>;
  /** Matches the document as it was read. */
  same: Document;
  /** Matches the document when these facts were marked, unless it has got further ones since. */
  settled?: (isDone: (fact: FoundFact) => boolean) => Document;
  facts: FoundFact[];
  /** When it is to be looked at again, whatever becomes of its facts. */
  nextTime?: Date | undefined;
  /** What is stored is not final, so the document is looked at again in a second. */
  isOpen?: boolean;
};

/** A document with facts. */
export type NoticedDocument = Noticed & { _id: string; organizationId: string };

/** Where facts are stored. */
export type FactSource = {
  collection: Collection<NoticedDocument>;
  /** Reads the documents of an organization that are to be looked at. `isWhole` tells whether these are all. */
  look(organizationId: string, now: Date): Promise<{ looked: Looked[]; isWhole: boolean }>;
};

/** How the facts of a collection are read. */
export type FactSourceOptions<D extends NoticedDocument, C> = {
  projection: Document;
  /** Reads what the documents of an organization need besides themselves. */
  contextOf?(organizationId: string, documents: readonly D[]): Promise<C>;
  /** The facts of a document. It is pure. */
  look(document: D, now: Date, context: C | undefined): Omit<Looked, 'collection' | 'same'>;
  /** The fields of the shard key, besides the organization and `_id`. */
  keyOf?(document: D): Document;
};

export const factSource = <D extends NoticedDocument, C = undefined>(
  typed: Collection<D>,
  { projection, contextOf, look, keyOf = () => ({}) }: FactSourceOptions<D, C>,
): FactSource => {
  const collection = typed as unknown as Collection<NoticedDocument>;
  return {
    collection,
    async look(organizationId, now) {
      const documents = await collection
        .find<D>(
          { organizationId, noticeAt: { ...hasNotice.noticeAt, $lte: now } },
          {
            projection: { organizationId: 1, noticeAt: 1, ...projection },
            ...atMost(MAX_DOCUMENTS, 'notice'),
            // A failover may roll back what a majority does not have.
            readConcern: 'majority',
          },
        )
        .toArray();
      const context = documents.length === 0 ? undefined : await contextOf?.(organizationId, documents);
      const looked = documents.map((document) => {
        const { _id, noticeAt } = document;
        const same = { _id, organizationId, noticeAt, ...keyOf(document) };
        return { collection, same, ...look(document, now, context) };
      });
      return { looked, isWhole: documents.length < MAX_DOCUMENTS };
    },
  };
};
