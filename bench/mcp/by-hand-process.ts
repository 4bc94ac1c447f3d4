// The work by hand behind Node's own HTTP server, as its own process: a connector without the protocol, the rate limit,
// schemas, log and metrics.
import { createServer } from 'node:http';
import { type Ground, openByHand } from './by-hand.ts';

const { PORT, GROUND = '{}' } = process.env;
const { work } = openByHand(JSON.parse(GROUND) as Ground);

createServer(async (request, response) => {
  for await (const _ of request);
  const result = await work[request.url?.slice(1) ?? '']?.();
  response.setHeader('content-type', 'application/json').end(JSON.stringify(result ?? {}));
}).listen(Number(PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit());
