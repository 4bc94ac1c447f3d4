import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { dial } from './dial.ts';
import { dialableAddresses } from './dialable-addresses.ts';
import { trusting } from './trust.ts';

test('of a name with many addresses, the first sixteen are checked and dialled', async () => {
  const checked: string[] = [];
  const many = Array.from({ length: 4000 }, (_, index) => ({
    address: `10.0.${index >> 8}.${index & 255}`,
    family: 4,
  }));
  const found = await dialableAddresses(
    'many.example',
    (address) => checked.push(address) > 0,
    async () => many,
  );
  expect(found).toEqual(many.slice(0, 16));
  expect(checked).toHaveLength(16);
});

test.each([false, true])('counts what a server sends before it is read, with TLS: %s', async (isSecure) => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'receiver.test' }]);
  // Over TLS, each byte is a record of its own, of more than twenty bytes.
  const part = 'x'.repeat(isSecure ? 1 : 1000);
  const drip = async (socket: Socket): Promise<void> => {
    socket.on('error', () => {});
    while (!socket.destroyed) await new Promise((resolve) => socket.write(part, resolve));
  };
  const server = isSecure ? createTlsServer({ cert, key }, drip) : createServer(drip);
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { opened } = dial({
    host: 'receiver.test',
    port: (server.address() as AddressInfo).port,
    addresses: [{ address: '127.0.0.1', family: 4 }],
    tls: isSecure ? { secureContext: trusting([cert]) } : undefined,
    timeout: 5000,
    maxBytes: 5000,
    timedOut: () => new Error('timed out'),
    tooMuch: () => new Error('too much'),
  });
  const { socket } = await opened;
  let read = 0;
  socket.on('readable', () => {
    read += socket.read()?.length ?? 0;
  });
  const [error] = await once(socket, 'error');
  expect(error).toEqual(new Error('too much'));
  // Without TLS, up to 64 KiB arrive in one event.
  expect(read).toBeLessThanOrEqual(isSecure ? 250 : 5000 + 65_536);
});
