// The receiver of the benchmark, as its own process. It responds with 200 and counts. Under /slow it responds just
// before the deadline of an attempt. Under /times it records the time of arrival by the id of the record.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from '../clock.ts';

export type Request = { expect: number } | { times: true };
export type Reply = { port: number } | { arrived: number } | { times: [recordId: string, at: number][] };

/** The delay of a response that is just in time. */
const SLOW_MS = 4800;

let count = 0;
let expected = 0;
let times: [string, number][] = [];
const reply = (message: Reply) => process.send?.(message);

const server = createServer((request, response) => {
  const at = now();
  const path = request.url ?? '';
  if (path.startsWith('/times')) {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      times.push([JSON.parse(Buffer.concat(chunks).toString()).data._id, at]);
      response.end();
    });
    return;
  }
  request.resume();
  request.on('end', () => {
    if (path.startsWith('/slow')) return void setTimeout(() => response.end(), SLOW_MS);
    response.end();
    if (++count === expected) reply({ arrived: now() });
  });
});
server.listen(0, '127.0.0.1', () => reply({ port: (server.address() as AddressInfo).port }));

process.on('message', (message: Request) => {
  if ('expect' in message) {
    count = 0;
    expected = message.expect;
  } else {
    reply({ times });
    times = [];
  }
});
process.on('disconnect', () => process.exit());
