import { notFound, Refusal } from '@chairside/domain';
import { staleRevision } from './entity-tags.ts';

type Result = { outcome: 'written' | 'unchanged' | 'missing' | 'stale' | 'busy' };

const tooManyChanges = (): Refusal =>
  new Refusal(
    'ServiceUnavailable',
    'Too many callers change this record at the same time. Try again later.',
    { retryAfter: 1 },
  );

/**
 * The result of a write.
 *
 * @param busy creates the refusal of a write that a later retry may make
 * @throws {Refusal} NotFound, PreconditionFailed or ServiceUnavailable
 */
export const written = <W extends Result>(
  result: W,
  busy = tooManyChanges,
): Extract<W, { outcome: 'written' | 'unchanged' }> => {
  switch (result.outcome) {
    case 'written':
    case 'unchanged':
      return result as Extract<W, { outcome: 'written' | 'unchanged' }>;
    case 'missing':
      throw notFound();
    case 'stale':
      throw staleRevision();
    case 'busy':
      throw busy();
  }
};
