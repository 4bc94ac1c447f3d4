import { MAX_OPERATORS, NOTICE_LIFE_MS, type NoticeKind } from '@chairside/domain';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { OrganizationDocument } from '../access/organization-document.ts';
import type { Collection, Database } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import { atMost, atOnce, databaseTime } from '../driver/statements.ts';
import type { Ciphers } from '../encryption/ciphers.ts';
import type { MailDocument } from '../mails/mail-document.ts';
import { hasNotice } from '../mails/notice-time.ts';
import type { FoundFact, Looked, NoticedDocument } from './facts.ts';
import { decide, lettersOf, type Person, recipientsOf } from './letters.ts';
import { noticeMailsOf } from './notice-mails.ts';
import { type FactCollections, factSources } from './sources.ts';

/*
 * Tells facts: makes mails of them, and marks them.
 *
 * 1. It reads the facts of an organization that were not told, then the last mail with notices of each operator, then what was
 *    told in the last hour.
 * 2. It inserts a mail for each recipient. The mail lists its facts and names the last mail before it, as it was read, and a
 *    unique index lets each mail have one successor. So of two processes that have read the same, one tells it, and the other
 *    begins again.
 * 3. It marks each fact, with one conditional update.
 *
 * A process that dies before 3 leaves mails that are `isUnmarked`. The next one finds their facts again, tells them to those
 * who have no such mail, and marks them.
 */

/** How many documents one query for organizations returns. */
const PAGE = 100;
/** Maximum number of organizations that are looked for in one call. */
const MAX_ORGANIZATIONS = 50;
/** After this time, in milliseconds, what was read counts as old, and nothing is made of it. */
const MAX_STANDSTILL_MS = 30_000;

/** How many facts were told, by kind. */
export type ToldCounts = Partial<Record<NoticeKind, number>>;

/** The facts of all organizations that are to be told, for the process that sends mails. */
export type Notices = {
  /**
   * The organizations with facts. Each is among them, up to fifty.
   *
   * @param except ids of organizations to leave out
   */
  due(except: Iterable<string>): Promise<string[]>;
  /**
   * Makes the mails that tell what is to be told now: each fact once, whichever processes do it at the same time.
   *
   * @returns how many facts the mails tell
   */
  tell(organizationId: string): Promise<ToldCounts>;
};

/** The updates of a document whose facts were told, or wait. */
const updatesOf = (
  { same, settled, facts, nextTime, isOpen = false }: Looked,
  isDone: (fact: FoundFact) => boolean,
  laterOf: (fact: FoundFact) => Date | undefined,
): AnyBulkWriteOperation<NoticedDocument>[] => {
  const { noticeAt, ...one } = same;
  const marks = facts
    .filter(isDone)
    .flatMap(({ mark }) =>
      mark === undefined
        ? []
        : [{ updateOne: { filter: { ...one, ...mark.condition }, update: mark.update } }],
    );
  const waiting = facts.filter((fact) => !isDone(fact)).map(laterOf);
  // What still gathers is looked at again in a second.
  if (isOpen || waiting.includes(undefined)) return marks;
  const times = [...waiting, nextTime].filter((time) => time !== undefined);
  const update =
    times.length === 0
      ? { $unset: { noticeAt: '' as const } }
      : { $set: { noticeAt: new Date(Math.min(...times.map(Number))) } };
  return [...marks, { updateOne: { filter: { ...same, ...settled?.(isDone) }, update } }];
};

/** Marks the facts, and stores when the documents are looked at again. */
const markIn = async (
  looked: readonly Looked[],
  isDone: (fact: FoundFact) => boolean,
  laterOf: (fact: FoundFact) => Date | undefined,
): Promise<void> => {
  for (const [collection, own] of Map.groupBy(looked, (each) => each.collection)) {
    const updates = own.flatMap((each) => updatesOf(each, isDone, laterOf));
    if (updates.length > 0) await collection.bulkWrite(updates);
  }
};

const countsOf = (facts: Iterable<FoundFact>): ToldCounts => {
  const counts: ToldCounts = {};
  for (const { kind } of facts) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

export type NoticesOptions = {
  database: Database;
  collections: FactCollections & {
    organizations: Collection<OrganizationDocument>;
    mails: Collection<MailDocument>;
  };
  ciphers: Pick<Ciphers, 'of'>;
};

export const openNotices = ({ database, collections, ciphers }: NoticesOptions): Notices => {
  const { organizations, operators, mails } = collections;
  const sources = factSources(database, collections);

  const readPeople = (organizationId: string): Promise<Person[]> =>
    operators
      .find<Person>(
        { organizationId },
        {
          projection: { email: 1, role: 1, disabledTime: 1, invitation: 1, notices: 1 },
          ...atOnce(MAX_OPERATORS),
        },
      )
      .toArray();

  return {
    async due(except) {
      const now = await databaseTime(database);
      const left = [...except];
      const found = new Set<string>();
      for (const { collection } of sources)
        for (;;) {
          const known = [...left, ...found];
          const page = await collection
            .find(
              {
                noticeAt: { ...hasNotice.noticeAt, $lte: now },
                ...(known.length > 0 && { organizationId: { $nin: known } }),
              },
              { projection: { organizationId: 1 }, ...atMost(PAGE, 'notice') },
            )
            .toArray();
          for (const { organizationId } of page) found.add(organizationId);
          if (found.size >= MAX_ORGANIZATIONS) return [...found];
          if (page.length < PAGE) break;
        }
      return [...found];
    },

    async tell(organizationId) {
      const begunAt = performance.now();
      const now = await databaseTime(database);
      const fields = { name: 1, deletingSince: 1 };
      const organization = await findUnique(organizations, { _id: organizationId }, fields);
      if (organization === undefined || organization.deletingSince !== undefined) return {};
      const found = await Promise.all(sources.map((source) => source.look(organizationId, now)));
      const looked = found.flatMap((each) => each.looked);
      const facts = looked.flatMap((each) => each.facts);
      const isOld = ({ time }: FoundFact) => now.getTime() - time.getTime() > NOTICE_LIFE_MS;
      const fresh = facts.filter((fact) => !isOld(fact));
      const [people, noticeMails] = [
        await readPeople(organizationId),
        noticeMailsOf(mails, ciphers, organizationId),
      ];
      let earlier = await noticeMails.earlier(now);
      const isTelling = decide(fresh, earlier, people, now).told.size > 0;
      const recipients = fresh.flatMap((fact) => recipientsOf(fact, people));
      // The last mails are read before those of the last hour, so that no mail is missing there that is not found here.
      const last = isTelling
        ? await noticeMails.last([...new Set(recipients.map(({ operatorId }) => operatorId))])
        : new Map();
      if (isTelling) earlier = await noticeMails.earlier(now);
      const { told, later } = decide(fresh, earlier, people, now);
      const letters = isTelling ? lettersOf(told, people, earlier) : [];
      if (performance.now() - begunAt > MAX_STANDSTILL_MS) return {};
      const made = await noticeMails.insert(letters, organization.name, last, now);
      // Another process has told something meanwhile. The next call finds out what.
      if (made === undefined) return {};
      await markIn(
        looked,
        (fact) => isOld(fact) || told.has(fact),
        (fact) => later.get(fact),
      );
      const isWhole = found.every((each) => each.isWhole);
      const unmarked = earlier.filter((mail) => isWhole && mail.isUnmarked === true);
      await noticeMails.setMarked([...made, ...unmarked.map(({ _id }) => _id)]);
      return countsOf(new Set(letters.flatMap((letter) => letter.facts)));
    },
  };
};
