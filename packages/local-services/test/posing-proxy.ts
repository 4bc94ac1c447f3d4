import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** Where the document of a reply begins, by the code of its message: OP_REPLY of the first hello, and OP_MSG. */
const DOCUMENT_AT: Readonly<Record<number, number>> = { 1: 36, 2013: 21 };

/** Returns the reply to send instead; undefined leaves it as it is. */
type Change = (reply: Document, port: number) => Document | undefined;

/** A proxy before a database that changes what the database replies. */
export type PosingProxy = { port: number; close(): void };

const changed = (message: Buffer, change: (reply: Document) => Document | undefined): Buffer => {
  const at = DOCUMENT_AT[message.readInt32LE(12)];
  const reply =
    at === undefined ? undefined : change(BSON.deserialize(message.subarray(at), { promoteLongs: false }));
  if (reply === undefined) return message;
  const whole = Buffer.concat([message.subarray(0, at), BSON.serialize(reply)]);
  whole.writeInt32LE(whole.length, 0);
  return whole;
};

/** Hands the messages of a stream on, one by one. */
const changeMessages = (
  from: Socket,
  to: Socket,
  change: (reply: Document) => Document | undefined,
): void => {
  let rest = Buffer.alloc(0);
  from.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      to.write(changed(rest.subarray(0, length), change));
      rest = rest.subarray(length);
    }
  });
};

/** @param databasePort where the database listens on `host` */
export const startPosingProxy = async (
  databasePort: number,
  host: string,
  change: Change,
): Promise<PosingProxy> => {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(databasePort, host);
    client.pipe(upstream);
    changeMessages(upstream, client, (reply) => change(reply, port));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => [client, upstream].map((each) => each.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};

/** A replica set of two members: both are the same database, one poses as the primary, the other as a secondary. */
export const startPosingReplicaSet = async (
  databasePort: number,
  host = '127.0.0.1',
): Promise<{ hosts: string; close(): void }> => {
  let hosts: string[] = [];
  const poseAs =
    (role: Document): Change =>
    (reply, port) =>
      'maxWireVersion' in reply
        ? {
            ...reply,
            ...role,
            setName: 'posing',
            setVersion: 1,
            hosts,
            primary: hosts[1],
            me: `127.0.0.1:${port}`,
          }
        : undefined;
  const members = [
    await startPosingProxy(
      databasePort,
      host,
      poseAs({ isWritablePrimary: false, ismaster: false, secondary: true }),
    ),
    await startPosingProxy(
      databasePort,
      host,
      poseAs({ isWritablePrimary: true, ismaster: true, secondary: false }),
    ),
  ];
  hosts = members.map(({ port }) => `127.0.0.1:${port}`);
  return {
    hosts: hosts.join(','),
    close() {
      for (const member of members) member.close();
    },
  };
};
