import { CAUSES, type Failure, OUTCOMES, remedyOf } from '@chairside/client/words';
import { formatOf, type OutputOptions, printRow } from './rows.ts';
import { say } from './stdout.ts';

/** The codes of a delivery in words. */
export const DELIVERY_WORDS = { outcome: OUTCOMES, cause: CAUSES } as const;

/** Prints a delivery. After a table, it says what to do about a failure. */
export const printDelivery = async (delivery: Failure, options: OutputOptions): Promise<void> => {
  await printRow({ ...delivery }, options, DELIVERY_WORDS);
  const remedy = remedyOf(delivery);
  if (remedy !== undefined && formatOf(options) === 'table') say(`What to do: ${remedy}`);
};
