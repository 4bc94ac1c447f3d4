/** A piece of a canary of this many bytes counts as the canary. */
const PIECE_BYTES = 8;

/** The pieces of a text in an encoding. Pieces in which case does not matter are lower case. */
type Form = { name: string; ignoresCase: boolean; pieces: readonly Buffer[] };

const piecesOf = (bytes: Buffer, length = PIECE_BYTES): Buffer[] =>
  Array.from({ length: Math.max(bytes.length - length + 1, 1) }, (_, at) => bytes.subarray(at, at + length));

/** The part of the base64 of these bytes that does not depend on what precedes or follows them, for each alignment. */
const base64Of = (bytes: Buffer): string[] =>
  [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });

const unicodeEscapes = (text: string): string =>
  [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

const formsOf = (canary: string): Form[] => {
  const lower = canary.toLowerCase();
  const utf16 = Buffer.from(lower, 'utf16le');
  const hex = Buffer.from(lower).toString('hex');
  const upperHex = Buffer.from(lower.toUpperCase()).toString('hex');
  const capitalized = lower.charAt(0).toUpperCase() + lower.slice(1);
  const cases = [lower, lower.toUpperCase(), capitalized];
  const base64 = cases
    .flatMap((text) => piecesOf(Buffer.from(text)))
    .flatMap(base64Of)
    .flatMap((piece) => [piece, piece.replaceAll('+', '-').replaceAll('/', '_')]);
  return [
    { name: 'UTF-8', ignoresCase: true, pieces: piecesOf(Buffer.from(lower)) },
    // The same bytes are little-endian and, one byte further, big-endian.
    { name: 'UTF-16', ignoresCase: true, pieces: piecesOf(utf16) },
    {
      name: 'hexadecimal',
      ignoresCase: true,
      pieces: [hex, upperHex].flatMap((text) => piecesOf(Buffer.from(text), 2 * PIECE_BYTES)),
    },
    {
      name: 'JSON escapes',
      ignoresCase: true,
      pieces: cases.flatMap((text) => piecesOf(Buffer.from(unicodeEscapes(text)), 6 * PIECE_BYTES)),
    },
    { name: 'base64', ignoresCase: false, pieces: base64.map((piece) => Buffer.from(piece)) },
  ];
};

/**
 * Returns a function that finds a canary, or any eight bytes of it, in bytes: in UTF-8 and UTF-16, in hexadecimal and JSON
 * escapes in any case, and in base64 in lower case, upper case and capitalized.
 *
 * @param canary ASCII letters, at least eight
 * @returns the name of the encoding in which the bytes contain the canary; undefined if they do not
 */
export const canaryFinder = (canary: string): ((bytes: Buffer) => string | undefined) => {
  const forms = formsOf(canary);
  return (bytes) => {
    // Changes the case of ASCII letters only, and no length.
    const lower = Buffer.from(
      bytes.toString('latin1').replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
      'latin1',
    );
    return forms.find(({ ignoresCase, pieces }) =>
      pieces.some((piece) => (ignoresCase ? lower : bytes).includes(piece)),
    )?.name;
  };
};
