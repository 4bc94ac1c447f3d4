import { SignatureError } from './signature-error.ts';

/** Maximum number of signatures in one header, and therefore the most secrets in one call. */
export const MAX_SIGNATURES = 16;
const MAX_HEADER_LENGTH = 4096;

/**
 * The value of `X-Service-Signature` as a framework provides it. An absent value is a `missing_header`. Node types a
 * repeatable header as an array; only an array with one value can be valid.
 *
 * @example
 * const header: HeaderValue = request.headers.get('X-Service-Signature');
 */
export type HeaderValue = string | readonly string[] | null | undefined;

/** The parts of a well-formed header. `t` is also kept as text, because the text was signed. */
export interface ParsedHeader {
  readonly t: string;
  readonly timestamp: number;
  readonly signatures: readonly Uint8Array[];
}

/**
 * Parses `t=<digits>,v1=<64 hex>[,v1=...]`. Blanks after a comma are skipped, because proxies and PSR-7 write them. Nothing
 * else is trimmed, repaired or guessed.
 */
export function parseHeader(value: HeaderValue): ParsedHeader {
  const header = readValue(value);
  if (header.length > MAX_HEADER_LENGTH) throw malformed(`it is longer than ${MAX_HEADER_LENGTH} bytes`);
  let t: string | undefined;
  let timestamp = 0;
  const signatures: Uint8Array[] = [];
  for (let start = 0; start <= header.length; ) {
    const comma = header.indexOf(',', start);
    const end = comma === -1 ? header.length : comma;
    if (header.startsWith('v1=', start)) {
      if (signatures.length === MAX_SIGNATURES) throw malformed(`it has more than ${MAX_SIGNATURES} v1`);
      signatures.push(readSignature(header, start + 3, end));
    } else if (header.startsWith('t=', start)) {
      if (t !== undefined) throw malformed('it has more than one t; a proxy may join two headers');
      timestamp = readDigits(header, start + 2, end);
      t = header.slice(start + 2, end);
    } else if (!OTHER_SCHEME.test(header.slice(start, end))) {
      throw malformed(
        'it must be t=<seconds>,v1=<hex>, with one "=" in each part, and spaces only after commas',
      );
    }
    start = afterBlanks(header, end + 1);
  }
  if (t === undefined) throw malformed('it has no t=<seconds>');
  if (signatures.length === 0) {
    throw new SignatureError(
      'no_signature',
      'The signature header has no v1. Update @chairside/signing if the scheme is new.',
    );
  }
  return { t, timestamp, signatures };
}

function afterBlanks(header: string, start: number): number {
  let index = start;
  while (header[index] === ' ' || header[index] === '\t') index++;
  return index;
}

// Matches visible ASCII with exactly one "=" and a name before it.
const OTHER_SCHEME = /^[!-<>-~]+=[!-<>-~]*$/;

function readValue(value: HeaderValue): string {
  const header =
    Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join(',') : value;
  if (typeof header === 'string' && header !== '') return header;
  if (header === undefined || header === null || header === '') {
    throw new SignatureError(
      'missing_header',
      'There is no X-Service-Signature. The request is not from Chairside, or a proxy removes the header.',
    );
  }
  throw new SignatureError(
    'bad_option',
    'header must be the value of X-Service-Signature. Use signatureHeader(request).',
  );
}

function readDigits(header: string, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index++) {
    const digit = header.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) throw malformed('its t must contain only digits');
    value = value * 10 + digit;
  }
  const length = end - start;
  if (length === 13) throw malformed('its t looks like milliseconds; it must be in seconds');
  if (length === 0 || length > 12) throw malformed('its t must have 1 to 12 digits');
  return value;
}

// Maps the character code of a hex digit to its value, and of any other ASCII character to -1.
const NIBBLES = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

function readSignature(header: string, start: number, end: number): Uint8Array {
  if (end - start !== 64) throw malformed('a v1 must be exactly 64 hex digits');
  const bytes = new Uint8Array(32);
  let signs = 0;
  for (let index = 0; index < 32; index++) {
    const high = NIBBLES[header.charCodeAt(start + 2 * index)] ?? -1;
    const low = NIBBLES[header.charCodeAt(start + 2 * index + 1)] ?? -1;
    signs |= high | low;
    bytes[index] = (high << 4) | low;
  }
  // A single -1 sets the sign bit of `signs`.
  if (signs < 0) throw malformed('a v1 must be exactly 64 hex digits');
  return bytes;
}

function malformed(reason: string): SignatureError {
  return new SignatureError('malformed_header', `The signature header is malformed: ${reason}.`);
}
