import { type Failure, remedyOf } from '@chairside/client/remedies';
import { formatOf, type OutputOptions, printRow } from '../output/rows.ts';
import { say } from '../output/stdout.ts';

/** Prints a delivery. After a table, it says what to do about a failure. */
export const printDelivery = async (delivery: Failure, options: OutputOptions): Promise<void> => {
  await printRow({ ...delivery }, options);
  const remedy = remedyOf(delivery);
  if (remedy !== undefined && formatOf(options) === 'table') say(`What to do: ${remedy}`);
};
