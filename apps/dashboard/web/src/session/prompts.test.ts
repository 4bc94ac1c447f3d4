import { ChairsideError } from '@chairside/client';
import { afterEach, expect, test } from 'vitest';
import { Dismissed, dismissPrompt, prompts, resolvePrompt, withPrompts } from './prompts.ts';

afterEach(dismissPrompt);

const refusal = (status: number, details?: { requiredConfirmation: 'password' }) =>
  new ChairsideError({ name: 'Refused', message: 'No.', status, details });
const unconfirmed = () => refusal(403, { requiredConfirmation: 'password' });

/** A request that fails with these errors, one after the other, and then succeeds. */
const failing = (...errors: Error[]) => {
  const calls: number[] = [];
  const request = async () => {
    calls.push(errors.length);
    const error = errors.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
  return { calls, request };
};
const settled = () => new Promise((resolve) => setTimeout(resolve));

test('a session that ends while the password is confirmed: both requests continue after the sign-in', async () => {
  const save = withPrompts(failing(unconfirmed()).request);
  await settled();
  expect(prompts.current()).toBe('confirm');
  const poll = withPrompts(failing(refusal(401)).request);
  await settled();
  expect(prompts.current()).toBe('sign-in');
  resolvePrompt();
  expect(await Promise.all([save, poll])).toEqual(['done', 'done']);
  expect(prompts.current()).toBeUndefined();
});

test('a confirmation that is needed during the sign-in waits for it', async () => {
  const poll = withPrompts(failing(refusal(401)).request);
  await settled();
  const save = withPrompts(failing(unconfirmed(), unconfirmed()).request);
  await settled();
  expect(prompts.current()).toBe('sign-in');
  resolvePrompt();
  await settled();
  expect(prompts.current()).toBe('confirm');
  resolvePrompt();
  expect(await Promise.all([save, poll])).toEqual(['done', 'done']);
});

test('closing the dialog fails every request that waits for it', async () => {
  const all = [unconfirmed(), refusal(401)].map((error) =>
    withPrompts(failing(error).request).catch((failure: unknown) => failure),
  );
  await settled();
  dismissPrompt();
  for (const failure of await Promise.all(all)) expect(failure).toBeInstanceOf(Dismissed);
});

test('other refusals open no dialog', async () => {
  await expect(withPrompts(failing(refusal(403)).request)).rejects.toThrow('No.');
  expect(prompts.current()).toBeUndefined();
});
