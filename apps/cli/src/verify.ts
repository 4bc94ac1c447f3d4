import { SignatureError, verify } from '@chairside/signing';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError, UsageError } from './failure.ts';
import { readBytes } from './flags/data-file.ts';
import { write } from './output/stdout.ts';

/** Adds `verify`, which checks the signature of a webhook whose body comes from stdin. */
export const addVerifyCommand = (program: Command): void => {
  program
    .command('verify')
    .description('Check the signature of a webhook whose body comes from stdin')
    .requiredOption('--secret-env <name>', 'the environment variable with the secret of the subscription')
    .requiredOption('--header <value>', 'the value of X-Service-Signature: t=…,v1=…')
    .option(
      '--tolerance <seconds>',
      'the greatest age of the signature, in seconds; 300 by default',
      (value) => {
        const seconds = Number(value);
        if (value.trim() !== '' && seconds > 0 && Number.isFinite(seconds)) return seconds;
        throw new InvalidArgumentError('Give a number of seconds greater than 0.');
      },
    )
    .addHelpText(
      'after',
      "\nExample:\n  $ chairside verify --secret-env SECRET --header 't=1893456000,v1=…' < body.json",
    )
    .action(async (options: { secretEnv: string; header: string; tolerance?: number }) => {
      const secret = process.env[options.secretEnv];
      if (!secret) throw new UsageError(`The environment variable ${options.secretEnv} is not set.`);
      const body = await readBytes('-');
      try {
        verify({
          header: options.header,
          body,
          secret,
          ...(options.tolerance !== undefined && { tolerance: options.tolerance }),
        });
      } catch (error) {
        if (!(error instanceof SignatureError)) throw error;
        if (error.code === 'bad_secret')
          throw new UsageError(`The environment variable ${options.secretEnv}: ${error.message}`);
        throw new CliError(`The signature is not valid (${error.code}): ${error.message}`);
      }
      await write('The signature is valid.\n');
    });
};
