import { Chairside, type Fetch } from '@chairside/client';

/** Measures each attempt, including retries. Headers could be added in the same way. */
export function measured(options: { baseUrl: string; apiKey: string }, report: (line: string) => void) {
  const measure: Fetch = async (url, init) => {
    const startedAt = performance.now();
    const response = await fetch(url, init);
    report(
      `${init.method} ${new URL(url).pathname} ${response.status} ${Math.round(performance.now() - startedAt)} ms`,
    );
    return response;
  };
  return new Chairside({ ...options, fetch: measure, timeout: 10_000, retry: { maxAttempts: 3 } });
}
