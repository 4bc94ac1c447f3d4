import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { UsageError } from '../failure.ts';

/** The bytes of a file, or of stdin for `-`. */
export const readBytes = (file: string): Promise<Buffer> =>
  file === '-' ? buffer(process.stdin) : readFile(file);

/**
 * Decodes UTF-8, with or without a byte order mark.
 *
 * @throws {UsageError} if the bytes are not UTF-8
 */
export const decodeUtf8 = (bytes: Uint8Array, file: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file}: is not UTF-8. Convert the file to UTF-8.`);
  }
};

/**
 * Reads a JSON object from a file, or from stdin for `-`.
 *
 * @throws {UsageError} if the file has no JSON object in UTF-8
 */
export const readDataFile = async (file: string): Promise<Record<string, unknown>> => {
  const name = file === '-' ? 'stdin' : file;
  const text = decodeUtf8(await readBytes(file), name);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message is not used, because it quotes the text.
    throw new UsageError(`${name}: is not JSON.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${name}: must be one JSON object.`);
  return value as Record<string, unknown>;
};
