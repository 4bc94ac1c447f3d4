// The introspection endpoint of the bench, as its own process. It responds to every request with a live token and a new
// grant, so that no call reaches a rate limit.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

const { PORT, CLAIMS = '{}' } = process.env;

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const grant_id = randomBytes(8).toString('hex');
    const body = JSON.stringify({ active: true, ...JSON.parse(CLAIMS), grant_id });
    response.setHeader('content-type', 'application/json').end(body);
  });
});
server.listen(Number(PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit());
