import type { SearchReport, SearchState } from '@chairside/mongodb/administration';
import { withProgress } from '@chairside/terminal';
import type { Command } from 'commander';
import { badLines } from './bad-lines.ts';
import { audited, type Context, note, runs, withAuthor } from './command.ts';

const NOTES = `
To find patients by name and telephone number, each patient is stored with short codes made with a key of the organization
("search tokens"). From a stolen database, they tell something about names: docs/operation/encryption.md says how much. An
organization that does not want this can do without the search.

  off   removes the codes. The search is refused with 403; patients are found by e-mail address and id.
  on    creates the codes again. Meanwhile, the search reads every patient.

Both work while the services run, first wait until every process knows, and may be interrupted and repeated. Backups from before
still contain the codes.`;

const STATES: Readonly<Record<SearchState, string>> = {
  on: 'on: patients are found by name and telephone number.',
  building: 'being switched on: it works and reads every patient. Repeat organization search on.',
  off: 'off: a search by name or telephone number is refused.',
};

const switchTo = async (context: Context, id: string, wanted: 'on' | 'off'): Promise<SearchReport> => {
  const run = await context.begin(id);
  const changes = [{ field: 'patientSearch', value: wanted }];
  return audited(context, run, { action: 'updated', kind: 'organization', ids: [id], changes }, () =>
    withProgress({ unit: 'patients' }, (progress) =>
      context.administration.switchPatientSearch(id, wanted, {
        onWait: (seconds) => note(`Waiting ${seconds} s, until every process knows.`),
        onProgress: ({ done }) => progress.advance(done),
      }),
    ),
  );
};

export const addOrganizationSearch = (organization: Command): void => {
  const search = organization
    .command('search')
    .description('switch the search for patients by name and telephone number on or off')
    .addHelpText('after', NOTES);
  const verb = (name: string, description: string): Command =>
    search.command(name).description(description).argument('<id>', 'id of the organization');
  runs(withAuthor(verb('on', 'switch the search on')), async (context, _options, id = '') => {
    const report = await switchTo(context, id, 'on');
    const { changed, refused } = report;
    return {
      result: report,
      lines: [
        `The search is on. ${changed} patients were given search tokens.`,
        ...badLines(refused, 'does not open'),
        ...(refused.length > 0
          ? [
              'They are not found. Restore them from a backup: docs/operation/repair.md, "A value that does not open".',
            ]
          : []),
      ],
      failed: refused.length > 0,
    };
  });
  runs(
    withAuthor(verb('off', 'switch the search off, and remove the search tokens')),
    async (context, _options, id = '') => {
      const report = await switchTo(context, id, 'off');
      return {
        result: report,
        lines: [
          `The search is off. ${report.changed} patients have no search tokens any more.`,
          'Delete the backups that contain them, and let the database reclaim its space.',
        ],
      };
    },
  );
  runs(verb('show', 'print whether the search is on'), async (context, _options, id = '') => {
    await context.begin(id);
    const state = await context.administration.patientSearchState(id);
    return { result: { state }, lines: [`The search is ${STATES[state]}`] };
  });
};
