import { describe, expect, it, vi } from 'vitest';
import { realRuntime } from './runtime.ts';

describe('a wait', () => {
  it('of infinite length does not end at once, but ends when its signal is aborted', async () => {
    vi.useFakeTimers();
    try {
      const controller = new AbortController();
      const over = vi.fn();
      const waiting = realRuntime.sleep(Number.POSITIVE_INFINITY, controller.signal).then(over);
      await vi.advanceTimersByTimeAsync(86_400_000);
      expect(over).not.toHaveBeenCalled();
      controller.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('leaves no listener behind', async () => {
    const { signal } = new AbortController();
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    await realRuntime.sleep(0, signal);
    expect(remove.mock.calls).toEqual(add.mock.calls);
    expect(add).toHaveBeenCalledTimes(1);
  });

  it('does not begin if its signal is already aborted', async () => {
    await expect(realRuntime.sleep(0, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
