import type { AuditEntry } from '@chairside/client';
import { Badge } from '../components/Badge.tsx';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { ACTIONS, KINDS } from './labels.ts';
import { type Principals, principalOf } from './principals.ts';

/** How many ids of an entry are shown. The CSV has all of them. */
const SHOWN_IDS = 3;

const Ids = ({ ids }: { ids: readonly string[] }) => (
  <>
    {ids.slice(0, SHOWN_IDS).map((id) => (
      <div key={id}>
        <code>{id}</code>
      </div>
    ))}
    {ids.length > SHOWN_IDS && <span className="quiet">and {ids.length - SHOWN_IDS} more</span>}
  </>
);

const Changes = ({ changes = [] }: Pick<AuditEntry, 'changes'>) =>
  changes.map(({ field, value, before }) => (
    <div key={field}>
      {field}
      {before !== undefined && ` from ${before}`}
      {value !== undefined && `: ${Array.isArray(value) ? value.join(', ') || 'none' : value}`}
    </div>
  ));

/** Shows a result. Results other than `ok` are rare, so they are highlighted. */
const Result = ({ result, count }: Pick<AuditEntry, 'result' | 'count'>) => (
  <>
    {result === 'ok' ? result : <Badge look="interrupted">{result}</Badge>}
    {count !== undefined && ` ${count} times`}
  </>
);

/** Audit entries as rows, the newest first. */
export const AuditTable = ({
  entries,
  principals,
}: {
  entries: readonly AuditEntry[];
  principals: Principals;
}) => (
  <ScrollTable
    label="Table of audit entries"
    columns={['Time', 'Operator, key or token', 'Action', 'Kind', 'Ids', 'Result', 'From', 'Changes']}
  >
    {entries.map((entry) => (
      <tr key={entry._id}>
        <td>
          <Time value={entry.time} />
        </td>
        <td className="name">{principalOf(entry, principals)}</td>
        <td>{ACTIONS[entry.action]}</td>
        <td>{KINDS[entry.kind]}</td>
        <td>
          <Ids ids={entry.ids} />
        </td>
        <td>
          <Result {...entry} />
        </td>
        <td>{entry.address}</td>
        <td>
          <Changes {...entry} />
        </td>
      </tr>
    ))}
  </ScrollTable>
);
