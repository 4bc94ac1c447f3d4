import { SignatureError } from './signature-error.ts';

const MAX_HEADER_LENGTH = 4096;
/** As many signatures as one header may carry, and so as many secrets as one call may name. */
export const MAX_SIGNATURES = 16;

/**
 * The value of `X-Service-Signature` as a framework hands it over: absent ones are for `missing_header` to report,
 * an array is what Node gives for a header that came several times.
 */
export type HeaderValue = string | readonly string[] | null | undefined;

/** What a well-formed header says. `t` is kept as text because the text is what was signed. */
export interface ParsedHeader {
  readonly t: string;
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
}

/** Reads `t=<digits>,v1=<64 hex>[,v1=...]`, or throws. Nothing is trimmed, repaired or guessed. */
export function parseHeader(value: HeaderValue): ParsedHeader {
  const header = single(value);
  if (header.length > MAX_HEADER_LENGTH) malformed(`it is longer than ${MAX_HEADER_LENGTH} bytes`);
  let t: string | undefined;
  const signatures: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start <= header.length; ) {
    const comma = header.indexOf(',', start);
    const end = comma === -1 ? header.length : comma;
    if (header.startsWith('v1=', start)) {
      if (signatures.length === MAX_SIGNATURES) malformed(`it has more than ${MAX_SIGNATURES} v1 signatures`);
      signatures.push(decodeHex(header, start + 3, end));
    } else if (header.startsWith('t=', start)) {
      if (t !== undefined) malformed('it has more than one t; a proxy may have joined two headers into one');
      t = readTimestamp(header.slice(start + 2, end));
    } else if (!/^[!-<>-~]+=[!-<>-~]*$/.test(header.slice(start, end))) {
      malformed('it must be t=<seconds>,v1=<64 hex digits>, with no space and one "=" in each part');
    }
    start = end + 1;
  }
  if (t === undefined) malformed('it has no t=<seconds>');
  if (signatures.length === 0) {
    throw new SignatureError(
      'no_signature',
      'The signature header has no v1 signature, the only scheme this version verifies. Update @chairside/signing if the sender announced a newer one.',
    );
  }
  return { t, signatures };
}

function single(value: HeaderValue): string {
  const header =
    typeof value === 'object' && value !== null && Array.isArray(value) ? value.join(',') : value;
  if (header === undefined || header === null || header === '') {
    throw new SignatureError(
      'missing_header',
      'The request has no X-Service-Signature header. If Chairside sent it, a proxy in front of you dropped the header; otherwise refuse it.',
    );
  }
  if (typeof header !== 'string') {
    throw new SignatureError(
      'bad_option',
      'header must be the value of X-Service-Signature, a string. Take it from the headers with signatureHeader(headers).',
    );
  }
  return header;
}

function readTimestamp(text: string): string {
  if (/^[0-9]{1,12}$/.test(text)) return text;
  malformed(
    /^[0-9]{13}$/.test(text)
      ? 'its t has 13 digits, which looks like milliseconds; t is in seconds'
      : 'its t must be 1 to 12 digits and nothing else',
  );
}

// By character code; -1 marks what is no hex digit. `| ` of the nibbles keeps the sign, so one test after the loop is enough.
const NIBBLES = Int8Array.from({ length: 128 }, (_, code) => {
  const nibble = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase());
  return nibble;
});

function decodeHex(header: string, start: number, end: number): Uint8Array<ArrayBuffer> {
  if (end - start !== 64) malformed('a v1 signature must be exactly 64 hex digits');
  const bytes = new Uint8Array(32);
  let invalid = 0;
  for (let index = 0; index < 32; index++) {
    const high = NIBBLES[header.charCodeAt(start + 2 * index)] ?? -1;
    const low = NIBBLES[header.charCodeAt(start + 2 * index + 1)] ?? -1;
    invalid |= high | low;
    bytes[index] = (high << 4) | low;
  }
  if (invalid < 0) malformed('a v1 signature must be exactly 64 hex digits');
  return bytes;
}

function malformed(reason: string): never {
  throw new SignatureError('malformed_header', `The signature header is malformed: ${reason}.`);
}

/** The header for these MACs, in hex, of one body at one time. */
export function formatHeader(timestamp: number, signatures: readonly string[]): string {
  return `t=${timestamp}${signatures.map((signature) => `,v1=${signature}`).join('')}`;
}
