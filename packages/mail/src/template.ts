import {
  dashboardLink,
  isSwitchable,
  NOTICES_PATH,
  type NoticeContent,
  type NoticeRow,
  type NoticeText,
  type ResourceLimit,
} from '@chairside/domain';
import {
  factText,
  noticeEndings,
  noticeSentences,
  type SentKind,
  sentences,
  severalKinds,
  withOthers,
} from './sentences.ts';

/** The longest name in a mail, in characters. A longer one is cut. */
const MAX_NAME_LENGTH = 60;

export const mailTextLimits: readonly ResourceLimit[] = [
  {
    id: 'mail_name',
    part: 'Mail',
    resource: 'A name in a mail',
    value: MAX_NAME_LENGTH,
    unit: 'characters',
    beyond: 'the name is cut',
  },
];

/** Control characters, line separators, and characters that change the direction of the text around them. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
/** What mail programs turn into links although the mail has none: `https://` and the dots of a host name. */
const LINKING = /(?<=\S)([.:/@])(?=\S)/gu;

const onOneLine = (text: string): string => text.replaceAll(UNSHOWN, ' ').replaceAll(/\s+/gu, ' ').trim();
const withoutLinks = (text: string): string => text.replaceAll(LINKING, '$1\u2060');

/** A text on one line, without a part that a mail program would turn into a link. */
const shownWhole = (text: string): string => withoutLinks(onOneLine(text));

/**
 * A name as a mail shows it: on one line, cut, and without a part that a mail program would turn into a link. Somebody
 * else may have chosen the name.
 */
export const shownName = (name: string): string => {
  const line = onOneLine(name);
  const characters = [...line];
  return withoutLinks(
    characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH - 1).join('')}…` : line,
  );
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** A mail without its addresses. */
export type WrittenMail = {
  subject: string;
  text: string;
  html: string;
  /** The page that switches such mails off, if they can be switched off. */
  unsubscribe?: string;
};

/** A paragraph, or an address with the text of its link. */
type Part = string | { address: string; action: string };

/** The parts as plain text, and the same as simple HTML, without images, styles of other hosts and scripts. */
const written = (subject: string, parts: readonly Part[]): WrittenMail => {
  const text = parts.map((part) => (typeof part === 'string' ? part : part.address)).join('\n\n');
  const body = parts
    .flatMap((part) =>
      typeof part === 'string'
        ? [`<p>${escaped(part)}</p>`]
        : [
            `<p><a href="${escaped(part.address)}">${escaped(part.action)}</a></p>`,
            `<p>${escaped(part.address)}</p>`,
          ],
    )
    .join('\n');
  const html = `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>\n<body style="font-family: sans-serif; max-width: 36em">\n${body}\n</body>\n</html>\n`;
  return { subject, text: `${text}\n`, html };
};

/**
 * Writes a mail with a link, or the test mail.
 *
 * @param mail.link the complete address; absent for kinds without a link
 */
export const writeMail = ({
  kind,
  values,
  link,
}: {
  kind: SentKind;
  values: { organizationName: string };
  link?: string | undefined;
}): WrittenMail => {
  const { subject, paragraphs, action, ending } = sentences[kind];
  const before = paragraphs({ organizationName: shownName(values.organizationName) });
  const hasLink = link !== undefined && action !== undefined;
  return written(subject, [...before, ...(hasLink ? [{ address: link, action }] : []), ...ending]);
};

/** A time as people read it, to the minute: `2030-01-31 09:30 UTC`. */
const shownTime = (time: string): string =>
  `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The fact with its names as a mail shows them. A host is not cut, because its end tells whose it is. */
const shownFact = (fact: NoticeText): NoticeText => {
  switch (fact.kind) {
    case 'subscriptionFailing':
    case 'subscriptionDisabled':
    case 'subscriptionRecovered':
      return {
        ...fact,
        host: shownWhole(fact.host),
        ...(fact.clinic !== undefined && { clinic: shownName(fact.clinic) }),
      };
    case 'credentialEnding':
      return { ...fact, name: shownName(fact.name), endTime: shownTime(fact.endTime) };
    case 'appConnected':
      return { ...fact, app: shownName(fact.app), host: shownWhole(fact.host) };
    case 'newReceiverHost':
      return { ...fact, host: shownWhole(fact.host) };
    case 'newNetwork':
      return { ...fact, network: shownWhole(fact.network) };
    default:
      return fact;
  }
};

/** The subject and the first sentence of a mail with these rows. */
const headOf = ([first, ...others]: readonly NoticeRow[], more: number) => {
  if (first === undefined || others.some(({ kind }) => kind !== first.kind)) return severalKinds;
  const { subject, lead } = noticeSentences[first.kind];
  const count = others.length + more;
  return { lead, subject: count === 0 ? subject : withOthers(subject, count) };
};

/**
 * Writes a mail with notices. Each row has the address of the page that it speaks of.
 *
 * @param dashboardUrl the address that all links begin with
 */
export const writeNotice = (
  { values, rows, more }: Omit<NoticeContent, 'to'>,
  dashboardUrl: string,
): WrittenMail => {
  const { subject, lead } = headOf(rows, more);
  const linkTo = (path: string, action: string): Part => ({
    address: dashboardLink(dashboardUrl, path),
    action,
  });
  const isOwn = rows.some(({ kind }) => !isSwitchable(kind));
  const isOff = rows.some(({ kind }) => isSwitchable(kind));
  const mail = written(subject, [
    lead,
    `Practice: ${shownName(values.organizationName)}`,
    ...rows.flatMap((row) => [
      `${shownTime(row.time)}: ${factText(shownFact(row))}`,
      linkTo(row.path, 'Open in the dashboard'),
    ]),
    ...(more > 0 ? [noticeEndings.more(more), linkTo('/', 'Open the overview')] : []),
    ...(isOwn ? [noticeEndings.notYou] : []),
    isOff ? noticeEndings.switchOff : noticeEndings.always,
    linkTo(NOTICES_PATH, 'Your notices'),
  ]);
  return isOff ? { ...mail, unsubscribe: dashboardLink(dashboardUrl, NOTICES_PATH) } : mail;
};
