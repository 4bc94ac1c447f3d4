import type { RunAction } from '@chairside/mongodb';
import type { Command } from 'commander';
import { audited, type Context, type Output, runs, withAuthor } from './command.ts';
import { addStop } from './stops.ts';

const NOTES = `
While an organization is suspended, nobody of it gets in: every request gets 403 with details.reason "organization_suspended",
also a sign-in with the right password, and so do connected apps. Its webhooks wait, and so do events that are written before
the suspension is in force, within a second. Nothing is deleted, and resume sends what waits.`;

const suspend = async (context: Context, id: string): Promise<Output> => {
  const run = await context.begin(id);
  const action: RunAction = { action: 'suspended', kind: 'organization', ids: [id] };
  const added = await audited(context, run, action, () => addStop(context, { organizationId: id }));
  return {
    result: { organizationId: id, suspended: true },
    lines: [
      added === 'present' ? `The organization ${id} was suspended already.` : `Suspended organization ${id}.`,
      `It is in force everywhere within a second. End it with: chairside-admin organization resume ${id}`,
    ],
  };
};

const resume = async (context: Context, id: string): Promise<Output> => {
  const run = await context.begin(id);
  const action: RunAction = { action: 'resumed', kind: 'organization', ids: [id] };
  const wasSuspended = await audited(context, run, action, () =>
    context.administration.stops.remove({ organizationId: id }),
  );
  return {
    result: { organizationId: id, suspended: false },
    lines: [wasSuspended ? `Resumed organization ${id}.` : `The organization ${id} was not suspended.`],
  };
};

export const addOrganizationSuspension = (organization: Command): void => {
  const verb = (name: string, description: string): Command =>
    withAuthor(
      organization.command(name).description(description).argument('<id>', 'id of the organization'),
    ).addHelpText('after', NOTES);
  runs(verb('suspend', 'stop the access and the webhooks of an organization'), (context, _options, id = '') =>
    suspend(context, id),
  );
  runs(verb('resume', 'end the suspension of an organization'), (context, _options, id = '') =>
    resume(context, id),
  );
};
