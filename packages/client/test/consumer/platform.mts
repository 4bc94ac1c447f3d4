// Compiles the client with the types of a platform, in addition to consumer.mts.
import { Chairside, type Fetch } from '@chairside/client';

const withSignal: Fetch = (url, init) => fetch(url, { ...init, signal: init.signal });
const chairside = new Chairside({ baseUrl: 'https://example.com', apiKey: 'k', fetch: withSignal });
new Chairside({ baseUrl: 'https://example.com', apiKey: 'k', fetch });
chairside.patients.get('a', { signal: AbortSignal.timeout(1000) });
chairside.events.follow({ since: new Date(), signal: new AbortController().signal });
// @ts-expect-error a signal is not a controller
chairside.patients.get('a', { signal: new AbortController() });
