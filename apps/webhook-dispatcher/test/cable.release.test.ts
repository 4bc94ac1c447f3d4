import { test } from 'vitest';
import { expectNothingLost } from './cable.ts';

test('loses nothing while the cable of four dispatchers is cut for ten minutes', () =>
  expectNothingLost(120, 5000));
