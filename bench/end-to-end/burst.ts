import { patientFields } from '../patient.ts';
import { quantile } from '../statistics.ts';
import { startOn } from './contestants.ts';
import type { Ground } from './ground.ts';
import { table } from './part.ts';
import { settle } from './turn.ts';

const CALLS = 50;
const STARTS = 5;

/** Makes the first calls after a start of the api, all at once, each on its own connection. Returns Markdown. */
export const measureBurst = async (ground: Ground): Promise<string> => {
  const { generator, authorizations, clinics } = ground;
  const body = JSON.stringify(patientFields(clinics[1]));
  const rows: (string | number)[][] = [];
  for (let start = 1; start <= (ground.isQuick ? 2 : STARTS); start++) {
    const api = await startOn(ground, 'api');
    const url = `${api.url}/api/patients`;
    const { acknowledged, others } = await generator.ask({
      url,
      body,
      authorizations,
      connections: CALLS,
      pace: { calls: CALLS },
    });
    await settle(ground, acknowledged, 1);
    const slowest = quantile(
      acknowledged.map(({ from, at }) => at - from),
      1,
    );
    const refused = Object.entries(others).map(([response, times]) => `${times} of ${response}`);
    const row = [start, acknowledged.length, refused.join(', ') || '–', slowest.toFixed(0)];
    console.log('burst', row.join('; '));
    rows.push(row);
    await api.stop();
  }
  return `## The first ${CALLS} calls after a start of the api, at once

${table(['start', 'responses with 200', 'other responses', 'slowest 200, ms'], rows)}
`;
};
