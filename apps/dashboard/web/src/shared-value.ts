import { useSyncExternalStore } from 'react';

/** A value that parts of the page share, in no storage of the browser. */
export type SharedValue<T> = {
  get(): T | undefined;
  set(value: T | undefined): void;
  /** Calls `listener` after each change. @returns a function that ends this */
  subscribe(listener: () => void): () => void;
};

export const sharedValue = <T>(): SharedValue<T> => {
  let value: T | undefined;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

/** The present value, updated after each change. */
export const useSharedValue = <T>({ subscribe, get }: SharedValue<T>): T | undefined =>
  useSyncExternalStore(subscribe, get);
