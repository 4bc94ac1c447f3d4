// Tests the installed client with a `fetch` that responds like the api. Throws at the first failure.
export const assert = (condition, what) => {
  if (!condition) throw new Error(`wrong: ${what}`);
};

export const JSON_TYPE = { 'content-type': 'application/json' };
const respond = (body, headers = {}, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { ...JSON_TYPE, ...headers } });

const event = (id) => ({
  id,
  event: 'patient.created',
  timestamp: 1,
  data: { _id: id },
  clinicIds: [],
  loggedTime: '2030-01-31T00:00:00.000Z',
});

/** @returns the number of passed checks */
export async function judge({ Chairside, ChairsideError }) {
  const requests = [];
  const fetch = async (url, init) => {
    requests.push({ url, ...init });
    const { pathname, searchParams } = new URL(url);
    if (pathname === '/api/patients' && init.method === 'POST') {
      if (requests.filter(({ method }) => method === 'POST').length === 1) {
        return respond(
          { name: 'ServiceUnavailable', message: 'away', details: {} },
          { 'retry-after': '0' },
          503,
        );
      }
      return respond({ _id: 'new' }, { etag: '"1"', 'x-request-id': 'req_1' });
    }
    if (pathname === '/api/patients') {
      return searchParams.get('cursor') === null
        ? respond([{ _id: 'a' }], { 'x-next-cursor': 'b' })
        : respond([{ _id: 'b' }]);
    }
    if (pathname === '/api/events') return respond([event('e1'), event('e2')], { 'x-resume-cursor': 'c' });
    return respond({ name: 'NotFound', message: 'no such record', details: { requestId: 'r' } }, {}, 404);
  };
  let right = 0;
  const check = (condition, what) => {
    assert(condition, what);
    right++;
  };

  const chairside = new Chairside({ baseUrl: 'https://api.example.com', apiKey: 'secret', fetch });
  const ids = [];
  for await (const { _id } of chairside.patients.list()) ids.push(_id);
  check(ids.join() === 'a,b', 'the rows of two pages');
  const { data, response } = await chairside.patients.create({ clinicId: 'c' }).withResponse();
  check(data._id === 'new' && response.etag === '"1"' && response.requestId === 'req_1', 'a creation');
  const keys = requests
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) => headers['idempotency-key']);
  check(keys.length === 2 && keys[0] === keys[1] && keys[0].length === 36, 'a retry with the same key');
  check(requests[0].headers.authorization === 'Basic c2VjcmV0', 'the credential');
  check(/^chairside-client\/\d/.test(requests[0].headers['user-agent']), 'the version');

  const error = await chairside.clinics.get('x').catch((thrown) => thrown);
  check(error instanceof ChairsideError && error instanceof Error && error.status === 404, 'an error');
  const follower = chairside.events.follow({ since: new Date('2030-01-30T00:00:00Z') });
  const events = [];
  for await (const { id } of follower) {
    events.push(id);
    if (events.length === 2) break;
  }
  check(events.join() === 'e1,e2' && follower.cursor.startsWith('v1.'), 'the event log');

  const hanging = new Chairside({
    ...{ baseUrl: 'https://api.example.com', accessToken: 'token', retry: false, timeout: 20 },
    fetch: (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  check((await hanging.clinics.get('x').catch(({ name }) => name)) === 'TimeoutError', 'a timeout');
  const controller = new AbortController();
  const aborted = hanging.clinics.get('x', { signal: controller.signal, timeout: 60_000 });
  controller.abort(new Error('enough'));
  check((await aborted.catch(({ message }) => message)) === 'enough', 'a signal');
  check(!JSON.stringify([chairside, error]).includes('secret'), 'no secret');
  let refused;
  try {
    new Chairside({ baseUrl: 'https://api.example.com' });
  } catch (thrown) {
    refused = thrown;
  }
  check(refused instanceof ChairsideError, 'a client without a credential');
  return right;
}
