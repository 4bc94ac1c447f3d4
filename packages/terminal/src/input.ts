import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Names of stdin. Opening the last three fails if stdin is a socket, as under some process managers. */
const STDIN: readonly string[] = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/** An input that can be read several times. */
export type Input = {
  /** The file to read. */
  source: string;
  /** SHA-256 of the content, in hexadecimal, if the input was a stream, such as stdin; then `source` is a copy. */
  streamHash: string | undefined;
  /** Removes the copy. */
  discard(): Promise<void>;
};

/**
 * Opens a file that a command reads several times. A stream (`-` for stdin, a pipe, a process substitution) is copied into
 * a file that only its owner can read.
 */
export const openInput = async (path: string): Promise<Input> => {
  const isStdin = STDIN.includes(path);
  if (!isStdin && !(await stat(path)).isFIFO())
    return { source: path, streamHash: undefined, discard: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'chairside-'));
  const discard = () => rm(folder, { recursive: true, force: true });
  try {
    const hash = createHash('sha256');
    const hashed = new Transform({
      transform(chunk, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const copy = join(folder, randomUUID());
    const file = await open(copy, 'wx', 0o600);
    await pipeline(isStdin ? process.stdin : createReadStream(path), hashed, file.createWriteStream());
    const source = join(folder, 'input');
    await rename(copy, source);
    return { source, streamHash: hash.digest('hex'), discard };
  } catch (error) {
    await discard();
    throw error;
  }
};

/** Byte order marks, the longer ones first. */
const MARKS: readonly (readonly [encoding: 'UTF-16' | 'UTF-32', mark: readonly number[]])[] = [
  ['UTF-32', [0xff, 0xfe, 0x00, 0x00]],
  ['UTF-32', [0x00, 0x00, 0xfe, 0xff]],
  ['UTF-16', [0xff, 0xfe]],
  ['UTF-16', [0xfe, 0xff]],
];

/**
 * The encoding of a text that begins with these bytes, if it is one with several bytes for each character. Without a byte
 * order mark, it is known by the zeros of its first letter or bracket, which no other text contains.
 */
export const wideEncodingOf = (begin: Uint8Array): 'UTF-16' | 'UTF-32' | undefined => {
  const marked = MARKS.find(([, mark]) => mark.every((byte, index) => begin[index] === byte));
  if (marked !== undefined) return marked[0];
  const zeros = [...begin.subarray(0, 4)].map((byte) => (byte === 0 ? '0' : 'x')).join('');
  if (zeros === 'x000' || zeros === '000x') return 'UTF-32';
  return /^(x0|0x)/.test(zeros) ? 'UTF-16' : undefined;
};
