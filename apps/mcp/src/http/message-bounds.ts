import { Refusal, type ResourceLimit } from '@chairside/domain';

/**
 * Maximum number of values in a message: members of objects and items of lists, at every depth. The SDK describes each value
 * that it does not accept, so that 64 KiB of zeros would cause a response of 8 MB. The arguments of every tool are fewer.
 */
const MAX_VALUES = 1000;

export const messageLimits: readonly ResourceLimit[] = [
  {
    id: 'connector_values',
    part: 'Connected apps',
    resource: 'Values in a message to the connector',
    value: MAX_VALUES,
    unit: 'values',
    beyond: '400 BadRequest',
  },
];

const hasTooManyValues = (message: unknown): boolean => {
  const unseen = [message];
  for (let seen = 0; unseen.length > 0; seen++) {
    const value = unseen.pop();
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) unseen.push(inner);
    if (seen + unseen.length > MAX_VALUES) return true;
  }
  return false;
};

/**
 * Refuses a batch, because one request would cause the work of many. No supported revision of the protocol has batches.
 * Refuses a message with too many values.
 *
 * @throws {Refusal} BadRequest
 */
export const checkMessage = (body: unknown): void => {
  if (Array.isArray(body))
    throw new Refusal('BadRequest', 'Batches are not supported. Send one message in each request.');
  if (hasTooManyValues(body))
    throw new Refusal(
      'BadRequest',
      `The message has more than ${MAX_VALUES} values. Send a smaller message.`,
      {
        limit: 'connector_values',
      },
    );
};
