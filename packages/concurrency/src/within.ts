/** Returns the result of the promise, or undefined if the promise takes longer than this time. */
export const within = <T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
};
