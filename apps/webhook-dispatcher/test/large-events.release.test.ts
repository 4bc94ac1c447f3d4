import { test } from 'vitest';
import { expectLargeEventsToBeSent } from './large-events.ts';

test(
  '2,000 unpublished events of 171 kB are sent with 384 MiB of heap, and do not delay another organization',
  {
    timeout: 600_000,
  },
  () => expectLargeEventsToBeSent(100, 20, '--max-old-space-size=384 --max-semi-space-size=8'),
);
