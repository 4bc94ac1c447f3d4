import { z } from 'zod';

/** The longest identifier in a request, in characters. */
export const MAX_ID_LENGTH = 128;

/**
 * A string that can be stored and returned unchanged. NUL bytes and lone surrogates are refused, because databases and
 * UTF-8 encoders would change or refuse them later.
 *
 * @param max longest accepted length in UTF-16 code units
 * @param base brings the text to its form before it is checked
 */
export const text = (max: number, base = z.string({ error: 'must be a string' })) =>
  base
    .max(max, `must have at most ${max} characters`)
    .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode (it has a lone surrogate)');

/** An identifier in a request: opaque, at least one character. */
export const id = text(MAX_ID_LENGTH).min(1, 'must not be empty');

/** The longest external id, in UTF-16 code units after normalization. */
export const MAX_EXTERNAL_ID_LENGTH = 255;

/**
 * The id that a record has in somebody's own system. It is brought to the normalization form C, so that the same text
 * always finds the record. A path cannot contain `.` and `..` (RFC 3986, 5.2.4).
 */
export const externalId = text(
  MAX_EXTERNAL_ID_LENGTH,
  z.string({ error: 'must be a string' }).normalize('NFC'),
)
  .min(1, 'must not be empty')
  // `text` refuses NUL.
  .refine((value) => !/[^\P{Cc}\0]/u.test(value), 'must not contain control characters')
  .refine((value) => value !== '.' && value !== '..', 'must not be . or ..');

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const QUOTED = String.raw`"(?:[ !#-\[\]-~]|\\[ -~])*"`;
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** The last label is a top-level domain, which is never a number. */
const TOP_LEVEL = `(?!\\d+$)${LABEL}`;
const DOMAIN = `(?=.{1,255}$)(?:${LABEL}\\.)+${TOP_LEVEL}`;

/**
 * A mailbox of RFC 5321, 4.1.2, with the lengths of 4.5.3.1. Address literals are refused, and so is a host name without a
 * dot, because mail reaches neither from the internet.
 */
const MAILBOX = new RegExp(`^(?=[^@]{1,64}@|".{0,62}"@)(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})@${DOMAIN}$`);

/** Whether a text is an e-mail address such as `name@example.com` or `"first last"@example.com`. */
export const isMailbox = (value: string): boolean => MAILBOX.test(value);

const emailProblem = (value: unknown): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
  typeof value === 'string' && /[^\x00-\x7f]/.test(value.slice(value.lastIndexOf('@')))
    ? 'must be an e-mail address whose domain is written in ASCII, such as name@xn--exmple-cua.com'
    : 'must be an e-mail address such as name@example.com';

/** An e-mail address. It is stored as sent, and compared without regard to case. */
export const email = text(320)
  .pipe(z.string().refine(isMailbox, { error: ({ input }) => emailProblem(input) }))
  .meta({ format: 'email' });

/** An e-mail address with which an operator signs in. The fields of browsers refuse a quoted local part. */
export const signInEmail = email.refine((value) => !value.startsWith('"'), 'must not begin with a quote');

/** An ISO 4217 code. */
export const currency = z
  .string({ error: 'must be a string' })
  .regex(/^[A-Z]{3}$/, 'must be a currency code of ISO 4217, such as EUR')
  .meta({ description: 'Currency, ISO 4217.', examples: ['EUR'] });
