import { open } from 'node:fs/promises';
import { wideEncodingOf } from '@chairside/terminal';
import { UsageFailure } from './failure.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes UTF-8. A byte order mark, with which some systems begin their files, is removed.
 *
 * @returns undefined if the bytes are not UTF-8. Replacement characters must not be stored in place of the real text.
 */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};

/**
 * Refuses a file in an encoding with several bytes for each character, because each of its lines would be refused.
 *
 * @param name the name of the file in the message
 * @throws {UsageFailure} that explains how to convert the file
 */
export const refuseOtherEncodings = async (file: string, name: string): Promise<void> => {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    const encoding = wideEncodingOf(buffer.subarray(0, bytesRead));
    if (encoding === undefined) return;
    throw new UsageFailure(
      `${name} is ${encoding}, from line 1 on. Convert it to UTF-8, for example with: iconv -f ${encoding} -t UTF-8, then import the result.`,
    );
  } finally {
    await handle.close();
  }
};

/** Node.js replaces bytes of an argument that are not UTF-8 with this character. */
const REPLACEMENT = '\ufffd';

/**
 * Refuses arguments that were not UTF-8, before anything is stored. A U+FFFD that was typed is refused as well, because
 * it cannot be distinguished from a replacement.
 *
 * @param given the arguments and options by name
 * @throws {UsageFailure} that names the first one
 */
export const refuseOtherBytes = (given: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string' || !value.includes(REPLACEMENT)) continue;
    throw new UsageFailure(
      `${name} is not UTF-8, or contains the character U+FFFD. Set the terminal and its locale to UTF-8, then enter it again.`,
    );
  }
};
