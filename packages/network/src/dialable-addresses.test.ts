import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { boundReads } from './dialable-addresses.ts';

test('a socket accepts 64 session tickets until it counts anew, and is destroyed with the next one', () => {
  const socket = new Socket();
  const tooMuch = new Error('too much');
  const countAnew = boundReads(socket, 1000, () => tooMuch);
  const errors: Error[] = [];
  socket.destroy = (error?: Error) => {
    if (error !== undefined) errors.push(error);
    return socket;
  };
  const send = (tickets: number) => {
    for (let sent = 0; sent < tickets; sent++) socket.emit('session', Buffer.alloc(1));
  };
  send(64);
  countAnew();
  send(64);
  expect(errors).toEqual([]);
  send(1);
  expect(errors).toEqual([tooMuch]);
});
