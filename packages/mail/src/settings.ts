import { isMailbox } from '@chairside/domain';
import { certificateFile, isLoopbackHost } from '@chairside/network';
import { checkedBy } from '@chairside/startup';
import { z } from 'zod';

/** A mail server and how it is reached. */
export type MailServer = {
  host: string;
  port: number;
  /** `tls` from the first byte, `starttls` required before anything is sent, or `none`. */
  security: 'tls' | 'starttls' | 'none';
  user?: { name: string; password: string };
};

/** The port of message submission over TLS (RFC 8314) and of message submission (RFC 6409). */
const PORTS = { 'smtps:': 465, 'smtp:': 587 } as const;

const isScheme = (protocol: string): protocol is keyof typeof PORTS => protocol in PORTS;

const decoded = (text: string, what: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError(`must have a ${what} whose special characters are percent-encoded`);
  }
};

/**
 * Reads the address of a mail server. With `smtp:`, STARTTLS is required, because mails contain links with secrets. A
 * server on the same machine needs no TLS, and `?tls=none` says that the network is trusted.
 *
 * @throws {RangeError} whose message says what the address must be, without quoting it
 */
export const parseMailUrl = (value: string): MailServer => {
  const url = URL.parse(value);
  if (url === null || !isScheme(url.protocol) || url.hostname === '')
    throw new RangeError('must be a URL such as smtps://user:password@mail.example.com');
  const { protocol, hostname, username, password, pathname, hash } = url;
  if ((pathname !== '' && pathname !== '/') || hash !== '')
    throw new RangeError('must have nothing but ?tls=none after the host and the port');
  const [[name, wanted] = [], ...others] = url.searchParams;
  if (others.length > 0 || (name !== undefined && !(name === 'tls' && wanted === 'none')))
    throw new RangeError('must have nothing but ?tls=none after the host and the port');
  if (wanted !== undefined && protocol === 'smtps:')
    throw new RangeError('must not have ?tls=none with smtps');
  if ((username === '') !== (password === ''))
    throw new RangeError('must have both a user and a password, or neither');
  const host = hostname.replace(/^\[|\]$/g, '');
  const isPlain = wanted === 'none' || isLoopbackHost(hostname);
  return {
    host,
    port: url.port === '' ? PORTS[protocol] : Number(url.port),
    security: protocol === 'smtps:' ? 'tls' : isPlain ? 'none' : 'starttls',
    ...(username !== '' && {
      user: { name: decoded(username, 'user'), password: decoded(password, 'password') },
    }),
  };
};

/** The settings of mail. Each description is a row of docs/configuration.md. */
export const mailSettings = {
  MAIL_URL: z
    .string()
    .superRefine((value, context) => {
      if (value !== '') checkedBy(parseMailUrl)(value, context);
    })
    .prefault('')
    .describe(
      'Mail server: `smtps://user:password@host` (TLS, port 465) or `smtp://user:password@host:port` (STARTTLS, port 587). Without it, the service sends no mail. See [mail](operation/mail.md)',
    ),
  MAIL_FROM: z
    .string()
    .refine(
      (value) => value === '' || isMailbox(value),
      'must be an e-mail address such as chairside@example.com',
    )
    .prefault('')
    .describe('Sender of the mails, an e-mail address. Required with `MAIL_URL`'),
  MAIL_CA_FILE: certificateFile
    .prefault('')
    .describe(
      'PEM file of certification authorities that may sign the certificate of the mail server, besides the public ones',
    ),
};

type MailSettings = { MAIL_URL: string; MAIL_FROM: string; MAIL_CA_FILE: readonly string[] };

/**
 * Requires the settings without which no mail can be sent.
 *
 * @param names the settings that `MAIL_URL` needs
 */
export const requireWithMail = <S extends z.ZodType<MailSettings>>(
  schema: S,
  names: readonly (keyof z.output<S>)[],
): S =>
  names.reduce(
    (checked, name) =>
      checked.refine(
        (settings) => (settings.MAIL_URL ?? '') === '' || (settings[name as never] ?? '') !== '',
        {
          path: [String(name)],
          error: 'is required with MAIL_URL',
          when: () => true,
        },
      ),
    schema,
  );

/** What sending mails needs. */
export type MailSender = { server: MailServer; from: string; certificates: readonly string[] };

/** @returns undefined without `MAIL_URL` */
export const mailSenderOf = ({ MAIL_URL, MAIL_FROM, MAIL_CA_FILE }: MailSettings): MailSender | undefined =>
  MAIL_URL === ''
    ? undefined
    : { server: parseMailUrl(MAIL_URL), from: MAIL_FROM, certificates: MAIL_CA_FILE };
