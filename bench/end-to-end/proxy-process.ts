// A proxy in front of MongoDB, as its own process. It counts the forwarded commands by name
// and collection, and can forward each of them later.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { HEADER, messageReader, OP_MSG, OP_QUERY } from '@chairside/test-support/wire-message';

const counts: Record<string, number> = {};

/** The BSON type of a string. */
const STRING = 2;

/**
 * The name of the command in a message of the wire protocol, which is the first key of its document, and its
 * collection, which is the value.
 */
const commandOf = (message: Buffer): string => {
  const opCode = message.readInt32LE(12);
  // Only the driver's first hello uses the old kind of message.
  if (opCode === OP_QUERY) return 'hello';
  if (opCode !== OP_MSG) return `opcode ${opCode}`;
  // Header, flags, the kind of the first section (0: the command), length of the document.
  const type = HEADER + 4 + 1 + 4;
  if (message[HEADER + 4] !== 0) return 'unknown';
  const end = message.indexOf(0, type + 1);
  const name = message.toString('latin1', type + 1, end);
  if (message[type] !== STRING) return name;
  const value = end + 1 + 4;
  return `${name} ${message.toString('latin1', value, message.indexOf(0, value))}`;
};

const count = (message: Buffer): void => {
  const command = commandOf(message);
  counts[command] = (counts[command] ?? 0) + 1;
};

const [, , host = '', port = '', later = '0'] = process.argv;
/** Forwards a part of the stream, in order. */
const forward = (to: Socket, part: Buffer): void => {
  if (Number(later) === 0) to.write(part);
  else setTimeout(() => to.write(part), Number(later));
};
const server = createServer({ noDelay: true }, (client) => {
  const database = connect({ host, port: Number(port), noDelay: true });
  client.on('data', messageReader(count));
  client.on('data', (part) => forward(database, part)).on('end', () => database.end());
  database.pipe(client);
  client.on('error', () => database.destroy()).on('close', () => database.destroy());
  database.on('error', () => client.destroy()).on('close', () => client.destroy());
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.(counts));
process.on('disconnect', () => process.exit());
