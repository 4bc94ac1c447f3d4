import type { Command } from 'commander';
import { withConfirmation } from './access/confirmation.ts';
import { openClient } from './access/open-client.ts';
import { UsageError } from './failure.ts';
import { readDataFile } from './flags/data-file.ts';
import { addValueOptions, printValue, type ValueOptions } from './output/value.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

/** The path and query of a request. Only paths of the API are accepted, so that credentials are sent nowhere else. */
const readPath = (given: string): string => {
  const isPath = /^\/(?!\/)[^\\\s]*$/.test(given);
  const url =
    isPath && URL.canParse(given, 'http://localhost') ? new URL(given, 'http://localhost') : undefined;
  if (url === undefined || url.host !== 'localhost' || !url.pathname.startsWith('/api/'))
    throw new UsageError(
      'Give a path that begins with /api/, such as /api/clinics. An address with a host is not allowed.',
    );
  return url.pathname + url.search;
};

/** Adds `api`, which sends a request of the user to the API with the credentials. */
export const addRequestCommand = (program: Command): void => {
  const command = program
    .command('api <method> <path>')
    .description('Send a request of your own with your credentials, and print the response')
    .option('-d, --data <file>', 'the body: a file with a JSON object, or - for stdin')
    .addHelpText(
      'after',
      "\nExamples:\n  $ chairside api GET '/api/patients?limit=2'\n  $ chairside api POST /api/patients --data patient.json",
    );
  addValueOptions(command).action(
    async (given: string, path: string, options: ValueOptions & { data?: string }) => {
      const method = METHODS.find((each) => each === given.toUpperCase());
      if (method === undefined) throw new UsageError(`The method must be one of ${METHODS.join(', ')}.`);
      const target = readPath(path);
      const client = await openClient(command, 'any');
      const body = options.data === undefined ? undefined : await readDataFile(options.data);
      const response = await withConfirmation(client, () =>
        client.request(method as Method, target, { body }),
      );
      await printValue(response, options);
    },
  );
};
