import { z } from 'zod';

/** The longest identifier in a request, in characters. */
export const MAX_ID_LENGTH = 128;

/**
 * A string that can be stored and returned unchanged. NUL bytes and lone surrogates are refused, because databases and
 * UTF-8 encoders would change or refuse them later.
 *
 * @param max longest accepted length in UTF-16 code units
 */
export const text = (max: number) =>
  z
    .string({ error: 'must be a string' })
    .max(max, `must have at most ${max} characters`)
    .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode (it has a lone surrogate)');

/** An identifier in a request: opaque, at least one character. */
export const id = text(MAX_ID_LENGTH).min(1, 'must not be empty');

/** An e-mail address. It is stored as sent, and compared without regard to case. */
export const email = text(320)
  .pipe(z.email('must be an e-mail address such as name@example.com'))
  .meta({ format: 'email' });

/** An ISO 4217 code. */
export const currency = z
  .string({ error: 'must be a string' })
  .regex(/^[A-Z]{3}$/, 'must be a currency code of ISO 4217, such as EUR')
  .meta({ description: 'Currency, ISO 4217.', examples: ['EUR'] });
