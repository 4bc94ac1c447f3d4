import { createReadStream } from 'node:fs';
import {
  isSettingKind,
  type RecordKind,
  readImportLine,
  readSettingLine,
  type SettingKind,
  type SettingLine,
} from '@chairside/domain';
import { decodeUtf8 } from './utf8.ts';

/** The longest line that is read, in bytes. A longer line is refused and not kept in memory. */
const MAX_LINE_BYTES = 1_048_576;
const CHUNK_BYTES = 262_144;
const LINE_FEED = 0x0a;

/** A line of a file: its number from 1, the offset of its end in bytes, and its bytes (undefined if it is too long). */
export type RawLine = { number: number; end: number; bytes: Buffer | undefined };

/**
 * Reads the lines of a file chunk by chunk.
 *
 * @param from the offset and number of the line after which to begin; both are 0 for the beginning
 */
export async function* readLines(
  file: string,
  from: { offset: number; number: number },
): AsyncGenerator<RawLine, void> {
  let { offset: position, number } = from;
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= MAX_LINE_BYTES) parts.push(part);
    else parts = [];
  };
  const take = (): RawLine => {
    const bytes = length <= MAX_LINE_BYTES ? Buffer.concat(parts) : undefined;
    parts = [];
    length = 0;
    number++;
    return { number, end: position, bytes };
  };

  for await (const chunk of createReadStream(file, { start: position, highWaterMark: CHUNK_BYTES })) {
    let begin = 0;
    for (;;) {
      const feed = (chunk as Buffer).indexOf(LINE_FEED, begin);
      if (feed === -1) break;
      add(chunk.subarray(begin, feed));
      position += feed + 1 - begin;
      begin = feed + 1;
      yield take();
    }
    if (begin < chunk.length) {
      add(chunk.subarray(begin));
      position += chunk.length - begin;
    }
  }
  if (length > 0) yield take();
}

const parsed = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The parser's message is not used, because it quotes the line.
    return undefined;
  }
};

/**
 * Parses and checks a line.
 *
 * @returns undefined for an empty line; else the checked line, or the reason of its refusal, which quotes no values
 */
export const readLine = (
  kind: RecordKind | SettingKind,
  { bytes }: RawLine,
): { line: SettingLine } | { reason: string } | undefined => {
  if (bytes === undefined) return { reason: `has more than ${MAX_LINE_BYTES} bytes` };
  const text = decodeUtf8(bytes);
  if (text === undefined) return { reason: 'is not UTF-8: convert the file to UTF-8' };
  if (text.trim() === '') return undefined;
  const json = parsed(text);
  if (json === undefined) return { reason: 'is not JSON' };
  const read = isSettingKind(kind) ? readSettingLine(kind, json.value) : readImportLine(kind, json.value);
  if ('line' in read) return read;
  return { reason: read.issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ') };
};
