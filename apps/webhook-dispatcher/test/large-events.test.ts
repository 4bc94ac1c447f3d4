import { test } from 'vitest';
import { expectLargeEventsToBeSent } from './large-events.ts';

test(
  '600 unpublished events of 171 kB are sent with 128 MiB of heap, and do not delay another organization',
  {
    timeout: 300_000,
  },
  () => expectLargeEventsToBeSent(30, 20, '--max-old-space-size=128 --max-semi-space-size=8'),
);
