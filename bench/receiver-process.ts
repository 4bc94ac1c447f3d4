// The receiver of the bench, as its own process. It responds with 200 and records each delivery with its time of
// arrival.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from './clock.ts';

/** A delivery that arrived: its id, the id of its record, and the time at which its head had arrived. */
export type Arrival = { deliveryId: string; recordId: string; at: number };

/** The id of the record is within this many characters from the beginning of a body. */
const HEAD = 400;

let arrivals: Arrival[] = [];
const server = createServer((request, response) => {
  const at = now();
  let head = '';
  request.on('data', (chunk: Buffer) => {
    if (head.length < HEAD) head += chunk.toString('latin1');
  });
  request.on('end', () => {
    response.end();
    const deliveryId = request.headers['x-service-delivery-id'];
    // Any other POST gets a response and is not recorded.
    if (deliveryId === undefined) return;
    const [, recordId = ''] = /"data":\{"_id":"([^"]+)"/.exec(head) ?? [];
    arrivals.push({ deliveryId: String(deliveryId), recordId, at });
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', () => {
  process.send?.(arrivals);
  arrivals = [];
});
process.on('disconnect', () => process.exit());
