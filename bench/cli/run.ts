// Measures the command line: the time of a start against Node's own, long lists against curl, whether the creation of
// records from a file uses the rate limit of its key, and how soon `events follow` prints an event. Usage: pnpm --filter @chairside/bench cli
// [--only starts|lists|creations|follow] [--write "what else ran on the machine"]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngines } from '@chairside/local-services';
import { freePort } from '@chairside/processes';
import { startApp } from '../apps.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService } from '../service.ts';
import { measureCreations } from './creations.ts';
import { measureFollow } from './follow.ts';
import { compareLists } from './lists.ts';
import { compareStarts } from './starts.ts';

const only = optionOf('--only');
const isWanted = (name: string): boolean => only === undefined || only === name;

const sections: string[] = [];
const add = (title: string, section: string): void => {
  const text = `## ${title}\n\n${section}\n`;
  console.log(text);
  sections.push(text);
};

const engines = await startEngines({ ephemeral: true });
const service = await openService(engines.mongodb.url, engines.redis.url);
const folder = mkdtempSync(join(tmpdir(), 'chairside-bench-'));
const metricsPort = String(await freePort());
const api = await startApp('api', { ...service.environment, METRICS_PORT: metricsPort });
if (isWanted('starts')) add('Starts', compareStarts());
if (isWanted('lists')) add('Lists', await compareLists(service, api.url, folder));
if (isWanted('creations')) {
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  add('Creations from a file', await measureCreations(service, api.url, metricsUrl, folder));
}
if (isWanted('follow')) {
  const dispatcher = await startApp('webhook-dispatcher', service.environment);
  add('Following the event log', await measureFollow(service, api.url));
  await dispatcher.stop();
}
await api.stop();
await service.close();
await engines.stop();
rmSync(folder, { recursive: true });

const remark = optionOf('--write');
if (remark !== undefined) {
  const [curl] = execFileSync('curl', ['--version'], { encoding: 'utf8' }).split(' (');
  const text = `# The command line

- Command: \`pnpm --filter @chairside/bench cli\`
- Date: ${today()}
- Machine: ${machine()}; everything on it: engines, api, commands; ${remark}
- Node ${process.versions.node}; ${curl}; ${engines.mongodb.source}, without fsync; ${engines.redis.source}
- In every round each contestant has one turn, in a new order. Ratios compare turns of the same round.

${sections.join('\n')}`;
  writeFileSync(join(import.meta.dirname, 'results.md'), text);
}
