import { BSON, type Document } from 'mongodb';

/**
 * The opcodes of MongoDB's wire protocol that current drivers use: OP_MSG, and OP_QUERY with OP_REPLY for the first
 * handshake.
 */
const OP_REPLY = 1;
export const OP_QUERY = 2004;
export const OP_MSG = 2013;
/** The length of a message's header, in bytes. */
export const HEADER = 16;

/** A command or its response: its document, and the other parts of the message, unchanged. */
export type WireMessage = { requestId: number; responseTo: number; document: Document; bytes: Buffer };

/** Numbers keep their BSON types, so that a changed document is forwarded with the same types. */
const parse = (bytes: Buffer): Document => BSON.deserialize(bytes, { promoteValues: false });

/** Returns the position of the document in a message. In OP_MSG, it follows the flags and the kind of the section. */
const documentAt = (bytes: Buffer): number => {
  const opCode = bytes.readInt32LE(12);
  if (opCode === OP_MSG) {
    if (bytes[HEADER + 4] !== 0) throw new Error('the first section of the message is not its document');
    return HEADER + 5;
  }
  if (opCode === OP_REPLY) return HEADER + 20;
  // In OP_QUERY, the document follows the flags, the name of the collection and two numbers.
  if (opCode === OP_QUERY) return bytes.indexOf(0, HEADER + 4) + 9;
  throw new Error(`unknown kind of message: ${opCode}`);
};

export const readMessage = (bytes: Buffer): WireMessage => {
  const begin = documentAt(bytes);
  const document = parse(bytes.subarray(begin, begin + bytes.readInt32LE(begin)));
  return { requestId: bytes.readInt32LE(4), responseTo: bytes.readInt32LE(8), document, bytes };
};

/** Returns the same message with another document. */
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

/** Returns the response to a command, in the format of the command. */
export const responseTo = ({ requestId, bytes }: WireMessage, document: Document): Buffer => {
  const isQuery = bytes.readInt32LE(12) === OP_QUERY;
  // OP_MSG has no flags and a section of kind 0. OP_REPLY has no flags, no cursor, and one document.
  const head = Buffer.alloc(isQuery ? HEADER + 20 : HEADER + 5);
  if (isQuery) head.writeInt32LE(1, HEADER + 16);
  const response = Buffer.concat([head, BSON.serialize(document)]);
  response.writeInt32LE(response.length, 0);
  response.writeInt32LE(requestId, 8);
  response.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  return response;
};

/** Splits a stream of bytes into messages. The bytes of an incomplete message are kept until the rest arrives. */
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
