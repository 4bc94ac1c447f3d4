import { BSON, type Document } from 'mongodb';

/** MongoDB's wire protocol, as far as a driver of today speaks it: OP_MSG, and OP_QUERY for its first greeting. */
const OP_REPLY = 1;
export const OP_QUERY = 2004;
export const OP_MSG = 2013;
/** The length of a message's header, in bytes. */
export const HEADER = 16;

/** A command, or the answer to one: its document, and the parts that are carried beside it as they came. */
export type WireMessage = { requestId: number; responseTo: number; document: Document; bytes: Buffer };

/** Numbers keep the types they have in BSON, so that what is changed is sent on as it was. */
const parse = (bytes: Buffer): Document => BSON.deserialize(bytes, { promoteValues: false });

/** Where the document of a message begins. OP_MSG: behind its flags and the kind of the section. */
const documentAt = (bytes: Buffer): number => {
  const opCode = bytes.readInt32LE(12);
  if (opCode === OP_MSG) {
    if (bytes[HEADER + 4] !== 0) throw new Error('a message whose first section is not its document');
    return HEADER + 5;
  }
  if (opCode === OP_REPLY) return HEADER + 20;
  // Behind flags, the name of the collection and two numbers.
  if (opCode === OP_QUERY) return bytes.indexOf(0, HEADER + 4) + 9;
  throw new Error(`a message of a kind that is not known: ${opCode}`);
};

export const readMessage = (bytes: Buffer): WireMessage => {
  const begin = documentAt(bytes);
  const document = parse(bytes.subarray(begin, begin + bytes.readInt32LE(begin)));
  return { requestId: bytes.readInt32LE(4), responseTo: bytes.readInt32LE(8), document, bytes };
};

/** The same message with another document. */
export const withDocument = (bytes: Buffer, document: Document): Buffer => {
  const begin = documentAt(bytes);
  const changed = Buffer.concat([
    bytes.subarray(0, begin),
    BSON.serialize(document),
    bytes.subarray(begin + bytes.readInt32LE(begin)),
  ]);
  changed.writeInt32LE(changed.length, 0);
  return changed;
};

/** The answer to a command, in the form in which the command came. */
export const answerTo = ({ requestId, bytes }: WireMessage, document: Document): Buffer => {
  const isQuery = bytes.readInt32LE(12) === OP_QUERY;
  // OP_MSG: no flags, a section of kind 0. OP_REPLY: no flags, no cursor, the first of one document.
  const head = Buffer.alloc(isQuery ? HEADER + 20 : HEADER + 5);
  if (isQuery) head.writeInt32LE(1, HEADER + 16);
  const answer = Buffer.concat([head, BSON.serialize(document)]);
  answer.writeInt32LE(answer.length, 0);
  answer.writeInt32LE(requestId, 8);
  answer.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  return answer;
};

/** Cuts a stream of bytes into messages; what is not whole yet waits for more. */
export const messageReader = (onMessage: (bytes: Buffer) => void): ((chunk: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const end = rest.readInt32LE(0);
      onMessage(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
};
