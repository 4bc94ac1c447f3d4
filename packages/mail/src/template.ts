import type { ResourceLimit } from '@chairside/domain';
import { type SentKind, sentences } from './sentences.ts';

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

/**
 * A name as a mail shows it: on one line, cut, and without a part that a mail program would turn into a link. Somebody
 * else may have chosen the name.
 */
export const shownName = (name: string): string => {
  const line = name.replaceAll(UNSHOWN, ' ').replaceAll(/\s+/gu, ' ').trim();
  const characters = [...line];
  const cut =
    characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH - 1).join('')}…` : line;
  return cut.replaceAll(LINKING, '$1\u2060');
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
export type WrittenMail = { subject: string; text: string; html: string };

/**
 * Writes a mail: plain text, and the same sentences as simple HTML, without images, styles of other hosts and scripts.
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
  const inHtml = (paragraph: string): string => `<p>${escaped(paragraph)}</p>`;
  const text = [...before, ...(hasLink ? [link] : []), ...ending].join('\n\n');
  const anchor = hasLink
    ? [`<p><a href="${escaped(link)}">${escaped(action)}</a></p>`, `<p>${escaped(link)}</p>`]
    : [];
  const body = [...before.map(inHtml), ...anchor, ...ending.map(inHtml)].join('\n');
  const html = `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>\n<body style="font-family: sans-serif; max-width: 36em">\n${body}\n</body>\n</html>\n`;
  return { subject, text: `${text}\n`, html };
};
