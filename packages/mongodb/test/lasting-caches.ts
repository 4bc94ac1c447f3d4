import { vi } from 'vitest';

/*
 * Import this file before all others. Caches then never forget by age, so that a method sends the same commands at each
 * call, however slow the machine is.
 */
vi.mock(import('lru-cache'), async (load) => {
  const { LRUCache, ...others } = await load();
  return {
    ...others,
    LRUCache: class<K extends {}, V extends {}, C> extends LRUCache<K, V, C> {
      constructor(options: ConstructorParameters<typeof LRUCache<K, V, C>>[0]) {
        super({ ...options, perf: { now: () => 1 } });
      }
    } as typeof LRUCache,
  };
});
