// A proxy before MongoDB, a process of its own: it counts the commands that go through it, by name.
import { type AddressInfo, connect, createServer } from 'node:net';

const HEADER_BYTES = 16;
const OP_QUERY = 2004;
const OP_MSG = 2013;

const counts: Record<string, number> = {};

/** The name of the command in a message of the wire protocol: the first key of its document. */
const commandOf = (message: Buffer): string => {
  const opCode = message.readInt32LE(12);
  // Old messages carry only the driver's first hello.
  if (opCode === OP_QUERY) return 'hello';
  if (opCode !== OP_MSG) return `opcode ${opCode}`;
  // Header, flags, the kind of the first section (0: the command), length of the document, type of its first field.
  const begin = HEADER_BYTES + 4 + 1 + 4 + 1;
  return message[HEADER_BYTES + 4] === 0
    ? message.toString('latin1', begin, message.indexOf(0, begin))
    : 'unknown';
};

/** Counts the messages in what arrives on one connection. */
const counter = () => {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      const command = commandOf(rest.subarray(0, length));
      counts[command] = (counts[command] ?? 0) + 1;
      rest = rest.subarray(length);
    }
  };
};

const [, , host = '', port = ''] = process.argv;
const server = createServer({ noDelay: true }, (client) => {
  const database = connect({ host, port: Number(port), noDelay: true });
  client.on('data', counter());
  client.pipe(database).pipe(client);
  client.on('error', () => database.destroy()).on('close', () => database.destroy());
  database.on('error', () => client.destroy()).on('close', () => client.destroy());
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.(counts));
process.on('disconnect', () => process.exit());
