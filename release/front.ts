import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** An address that stays the same while the server behind it is replaced, like a service of a cluster. */
export type Front = {
  address: string;
  /** Sends new connections to this port of the loopback interface. Closes the connections to the server before. */
  leadTo(port: number): void;
  close(): Promise<void>;
};

export const openFront = async (): Promise<Front> => {
  let port = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closeAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(next) {
      port = next;
      closeAll();
    },
    async close() {
      closeAll();
      server.close();
      await once(server, 'close');
    },
  };
};
