import type { ResponseHeaders } from './globals.ts';

/** The rate limit of the key or token, from the last response. */
export type RateLimit = {
  /** The number of requests left in the window. */
  remaining: number;
  /** The number of requests that a whole window allows. */
  quota: number;
  /** When the window ends, in milliseconds since 1970. */
  endsAt: number;
};

/** A list leaves this share of the limit to other callers with the same credentials. */
const RESERVE = 1 / 20;

const numberIn = (header: string | null, pattern: RegExp): number => Number(pattern.exec(header ?? '')?.[1]);

/** Reads `RateLimit` and `RateLimit-Policy` (IETF draft-ietf-httpapi-ratelimit-headers); undefined without them. */
export const rateLimitOf = (headers: ResponseHeaders, now: number): RateLimit | undefined => {
  const limit = headers.get('ratelimit');
  const remaining = numberIn(limit, /"(?:key|token)";r=(\d+)/);
  const seconds = numberIn(limit, /"(?:key|token)";r=\d+;t=(\d+)/);
  const quota = numberIn(headers.get('ratelimit-policy'), /"(?:key|token)";q=(\d+)/);
  if (Number.isNaN(remaining + seconds)) return undefined;
  return { remaining, quota: quota || 0, endsAt: now + seconds * 1000 };
};

/** Returns how long to wait before the next page, in milliseconds; 0 if the limit is not near. */
export const waitForLimit = (limit: RateLimit | undefined, now: number): number =>
  limit !== undefined && limit.remaining <= limit.quota * RESERVE ? Math.max(0, limit.endsAt - now) : 0;
