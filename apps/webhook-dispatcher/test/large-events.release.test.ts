import { test } from 'vitest';
import { expectLargeEventsToBeSent } from './large-events.ts';

test.each([
  [600, 128],
  [2000, 384],
])(
  '%i unpublished events of 171 kB are sent with %i MiB of heap, and do not delay another organization',
  (count, heap) =>
    expectLargeEventsToBeSent(count / 20, 20, `--max-old-space-size=${heap} --max-semi-space-size=8`),
);
