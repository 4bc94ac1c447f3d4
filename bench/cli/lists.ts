import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newId } from '@chairside/domain';
import { basic, sealedDocument } from '@chairside/test-support';
import { startChild } from '../child.ts';
import { patientFields } from '../patient.ts';
import type { Service } from '../service.ts';
import { quantile, shuffled, spread } from '../statistics.ts';
import { chairside, type Measured, run } from './command.ts';
import { PAGE, PATIENTS } from './sizes.ts';

/** Patients in the database of the api. */
const STORED = 100_000;
/** Number of patients in one insert. */
const INSERTED = 2000;
const ROUNDS = { memory: 7, api: 5 };

/** One curl for each page: follows the header Link until a page has none. The config file has the credentials. */
const CURL = `
next="$URL/api/patients?limit=${PAGE}"
while [ -n "$next" ]; do
  curl -sf -K "$CONFIG" -D "$HEADERS" -o /dev/null "$next" || exit 1
  next=$(sed -n 's/^[Ll]ink: <\\([^>]*\\)>; *rel="next".*/\\1/p' "$HEADERS" | tr -d '\\r')
  case "$next" in /*) next="$URL$next" ;; esac
  echo page >&2
done`;

const insertPatients = async (
  { store, database, organizationId }: Service,
  clinicId: string,
): Promise<void> => {
  const fields = { ...patientFields(clinicId), lastEditTime: new Date(), revision: 1 };
  const cipher = await store.ciphers.of(organizationId);
  const storedPatient = () => sealedDocument('patients', { _id: newId(), organizationId, ...fields }, cipher);
  for (let from = 0; from < STORED; from += INSERTED)
    await database
      .collection<{ _id: string }>('patients')
      .insertMany(Array.from({ length: INSERTED }, storedPatient), { ordered: false });
};

/** The programs that read the whole list once, by name. */
const contestantsFor = (
  url: string,
  apiKey: string,
  folder: string,
  count: number,
  formats: readonly string[],
): Record<string, () => Promise<Measured>> => {
  const config = join(folder, 'curl');
  writeFileSync(config, `header = "Authorization: ${basic(apiKey)}"\n`, { mode: 0o600 });
  const environment = { URL: url, CONFIG: config, HEADERS: join(folder, 'headers') };
  const curl = async (): Promise<Measured> => {
    const measured = await run('bash', ['-c', CURL], environment);
    const pages = measured.stderr.split('page').length - 1;
    if (pages !== count / PAGE) throw new Error(`curl read ${pages} pages`);
    return measured;
  };
  const credentials = { CHAIRSIDE_URL: url, CHAIRSIDE_API_KEY: apiKey };
  const list = (format: string) => [
    `--output ${format}`,
    () => chairside(['patients', 'list', '--output', format], credentials),
  ];
  return { curl, ...Object.fromEntries(formats.map(list)) };
};

/** Runs each contestant in every round, in a new order. Returns a table. */
const compare = async (
  contestants: Record<string, () => Promise<Measured>>,
  count: number,
  rounds: number,
): Promise<string> => {
  const names = Object.keys(contestants);
  const rates = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  const peaks = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, turn] of shuffled(Object.entries(contestants))) {
      const { milliseconds, peak } = await turn();
      // The first round is a warm-up.
      if (round < 0) continue;
      rates[name]?.push((count * 1000) / milliseconds);
      peaks[name]?.push(peak);
    }
  }
  const rows = names.map((name) => {
    const own = rates[name] ?? [];
    const ratios = own.map((rate, round) => rate / (rates.curl?.[round] ?? Number.NaN));
    const memory = name === 'curl' ? '–' : quantile(peaks[name] ?? [], 1).toFixed(0);
    return `| ${name === 'curl' ? name : `\`${name}\``} | ${spread(own)} | ${spread(ratios, 2)} | ${memory} |`;
  });
  return [
    '| | rows per second, median (lowest to highest) | to curl | highest memory, MiB |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
};

/** Lists patients with the command line and with curl. Returns two tables. */
export const compareLists = async (service: Service, url: string, folder: string): Promise<string> => {
  const pages = fileURLToPath(new URL('pages-process.ts', import.meta.url));
  const { hello: address, child } = await startChild<string, object, never>(pages);
  const formats = ['ndjson', 'json', 'csv', 'table'];
  const fromMemory = contestantsFor(address, service.apiKey, folder, PATIENTS, formats);
  const memory = await compare(fromMemory, PATIENTS, ROUNDS.memory);
  child.stop();
  const { clinicId } = await service.createClinic([]);
  await insertPatients(service, clinicId);
  const fromApi = contestantsFor(url, service.apiKey, folder, STORED, ['ndjson']);
  return `\`chairside patients list\` to /dev/null, against one \`curl\` for each page of ${PAGE.toLocaleString('en')} rows, which follows the header \`Link\`. The
goals are 0.8 of curl, and a highest resident memory below 150 MB (143 MiB).

${PATIENTS.toLocaleString('en')} patients from a server that has the pages in memory, so that the command is the slowest part; ${ROUNDS.memory} rounds:

${memory}

${STORED.toLocaleString('en')} patients from the api; ${ROUNDS.api} rounds. FerretDB sorts all patients for each page, so both wait for it:

${await compare(fromApi, STORED, ROUNDS.api)}`;
};
