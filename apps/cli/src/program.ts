import { Command } from 'commander';
import { addAccessCommands } from './access/commands.ts';
import { addFactorsCommand, addOrganizationCommand } from './access/factors.ts';
import { canAsk } from './access/prompt.ts';
import { addKeyVerbs, addOperatorVerbs, addTokenVerbs } from './access/verbs.ts';
import { addFollow } from './events/follow.ts';
import { UsageError } from './failure.ts';
import { foreignIn, missingIn } from './flags/faults.ts';
import { addListenCommand } from './listen/command.ts';
import { addTrigger } from './listen/trigger.ts';
import { NOUNS } from './nouns.ts';
import { addOpenCommand } from './open.ts';
import { addNoun, addVerbs } from './records/commands.ts';
import { addExport } from './records/export.ts';
import { addRequestCommand } from './request.ts';
import { addAvailabilityCommand, addHoursCommand } from './schedule/commands.ts';
import { addStatusCommand } from './status.ts';
import { addVerifyCommand } from './verify.ts';
import { VERSION } from './version.ts';
import { addDeliveryVerbs, addWebhookVerbs } from './webhooks/commands.ts';

/** Follows the faults of a command line. */
export const ADVICE = 'Add --help for the options and examples.';

const HELP = `
Credentials: run \`chairside login\`, or set CHAIRSIDE_URL and CHAIRSIDE_API_KEY (or CHAIRSIDE_TOKEN).

Output: a table on a terminal, one JSON object for each line elsewhere; see --output.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not signed in or not allowed, 4 not found, 5 service unreachable or limited.

Completion of commands: chairside completion bash|zsh|fish

Examples:
  $ chairside patients list --fields name,phone
  $ chairside events follow
  $ chairside listen --forward-to http://localhost:4000/webhooks`;

/** Verbs besides list, get, create, update and delete, by noun. */
const VERBS: Readonly<Record<string, (noun: Command) => void>> = {
  webhooks: addWebhookVerbs,
  deliveries: addDeliveryVerbs,
  events(noun) {
    addFollow(noun);
    addTrigger(noun);
  },
  keys: addKeyVerbs,
  operators: addOperatorVerbs,
  tokens: addTokenVerbs,
  patients: addExport,
};

/**
 * Builds the command line. Parsing throws commander's errors, so that the caller decides on the exit code.
 *
 * @param args the arguments. A noun that is not among them gets no verbs, because adding the flags of all nouns takes
 *   time. If `args` is absent, all nouns get their verbs
 */
export const buildProgram = (args?: readonly string[]): Command => {
  const program = new Command('chairside')
    .description('Chairside from a terminal: records, webhooks and events of a dental practice.')
    .version(VERSION, '-V, --version')
    .option('--profile <name>', 'the profile with the credentials')
    .showSuggestionAfterError()
    // main.ts reports all faults at once.
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .hook('preAction', (_program, command) => {
      const faults = [...missingIn(command, canAsk()), ...foreignIn(command)];
      if (faults.length > 0) throw new UsageError([...faults, ADVICE].join('\n'));
    })
    .addHelpText('after', HELP);
  addAccessCommands(program);
  for (const noun of NOUNS) {
    const parent = addNoun(program, noun);
    if (args !== undefined && !args.includes(noun.name)) continue;
    addVerbs(parent, noun);
    VERBS[noun.name]?.(parent);
  }
  addHoursCommand(program);
  addAvailabilityCommand(program);
  addListenCommand(program);
  addVerifyCommand(program);
  addStatusCommand(program);
  addFactorsCommand(program);
  addOrganizationCommand(program);
  addRequestCommand(program);
  addOpenCommand(program);
  return program;
};
