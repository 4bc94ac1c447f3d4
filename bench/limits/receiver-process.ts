// The receiver of the bench, a process of its own: it answers 200 and notes which event arrived, and when.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from '../delivery/clock.ts';

/** An event that arrived: its id, the id of its record, and when. */
export type Arrival = { eventId: string; recordId: string; at: number };

let arrivals: Arrival[] = [];
const server = createServer((request, response) => {
  const at = now();
  let head = '';
  request.on('data', (chunk: Buffer) => {
    // The record's id is at the beginning of the body, however long that is.
    if (head.length < 400) head += chunk.toString('latin1');
  });
  request.on('end', () => {
    const [, recordId = ''] = /"data":\{"_id":"([^"]+)"/.exec(head) ?? [];
    arrivals.push({ eventId: String(request.headers['x-service-event-id']), recordId, at });
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', () => {
  process.send?.({ arrivals });
  arrivals = [];
});
process.on('disconnect', () => process.exit());
