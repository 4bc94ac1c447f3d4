import { NOTICE_PAUSE_MS } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { atMost, byId, isDuplicateKey } from '../driver/statements.ts';
import type { Ciphers } from '../encryption/ciphers.ts';
import { type MailDocument, newMailDocument } from '../mails/mail-document.ts';
import { contentOf, type EarlierMail, type Letter, toldOf } from './letters.ts';

/** The last mail with notices of an operator; undefined if none is stored. */
export type LastMail = Pick<MailDocument, '_id' | 'createdTime'> | undefined;

/** The mails with notices of one organization. */
export type NoticeMails = {
  /** The last mails of these operators. */
  last(operatorIds: readonly string[]): Promise<Map<string, LastMail>>;
  /** The mails of the last hour, and those whose facts may not be marked. */
  earlier(now: Date): Promise<EarlierMail[]>;
  /**
   * Inserts mails, each after the last one of its operator that was read.
   *
   * @returns their ids; undefined if another process has inserted one since
   */
  insert(
    letters: readonly Letter[],
    organizationName: string,
    last: ReadonlyMap<string, LastMail>,
    now: Date,
  ): Promise<string[] | undefined>;
  /** The facts of these mails are marked. */
  setMarked(ids: readonly string[]): Promise<void>;
};

/** How many operators' last mails are read at once. */
const AT_ONCE = 10;
/** More mails with notices than an organization can get in an hour. */
const MAX_EARLIER = 10_000;

export const noticeMailsOf = (
  mails: Collection<MailDocument>,
  ciphers: Pick<Ciphers, 'of'>,
  organizationId: string,
): NoticeMails => {
  const kind = 'notice' as const;

  const lastOf = async (operatorId: string): Promise<LastMail> => {
    const [last] = await mails
      .find(
        { organizationId, operatorId, kind },
        { projection: { createdTime: 1 }, sort: { createdTime: -1 }, limit: 1 },
      )
      .toArray();
    return last;
  };

  const insertOne = async (
    letter: Letter,
    organizationName: string,
    last: LastMail,
    now: Date,
  ): Promise<LastMail> => {
    // Times increase, so that the last mail can be found by its time.
    const createdTime = new Date(Math.max(now.getTime(), (last?.createdTime.getTime() ?? 0) + 1));
    const { operatorId } = letter;
    const content = contentOf(letter, organizationName);
    const made = newMailDocument(
      { organizationId, operatorId, kind, content },
      await ciphers.of(organizationId),
      createdTime,
    );
    const after = last?._id ?? '';
    try {
      await mails.insertOne({ ...made, told: letter.facts.map(toldOf), after, isUnmarked: true });
      return made;
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  };

  return {
    async last(operatorIds) {
      const found = new Map<string, LastMail>();
      for (let begin = 0; begin < operatorIds.length; begin += AT_ONCE) {
        const group = operatorIds.slice(begin, begin + AT_ONCE);
        await Promise.all(group.map(async (id) => found.set(id, await lastOf(id))));
      }
      return found;
    },

    async earlier(now) {
      const projection = { operatorId: 1, createdTime: 1, told: 1, isUnmarked: 1 };
      const since = new Date(now.getTime() - NOTICE_PAUSE_MS);
      const [recent, unmarked] = await Promise.all([
        mails
          .find(
            { organizationId, kind, createdTime: { $gt: since } },
            { projection, ...atMost(MAX_EARLIER, 'kind') },
          )
          .toArray(),
        mails
          .find({ organizationId, isUnmarked: true }, { projection, ...atMost(MAX_EARLIER, 'unmarked') })
          .toArray(),
      ]);
      return [...new Map([...recent, ...unmarked].map((mail) => [mail._id, mail])).values()];
    },

    async insert(letters, organizationName, last, now) {
      const lasts = new Map(last);
      const ids: string[] = [];
      for (const letter of letters) {
        const made = await insertOne(letter, organizationName, lasts.get(letter.operatorId), now);
        if (made === undefined) return undefined;
        lasts.set(letter.operatorId, made);
        ids.push(made._id);
      }
      return ids;
    },

    async setMarked(ids) {
      if (ids.length === 0) return;
      await mails.updateMany(
        { _id: { $in: [...ids] }, organizationId, isUnmarked: true },
        { $unset: { isUnmarked: '' } },
        byId,
      );
    },
  };
};
