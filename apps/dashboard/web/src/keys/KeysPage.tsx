import type { ApiKey } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { visibleText } from '../components/visible-text.ts';
import { keysQuery } from '../principals/requests.ts';
import { DeleteKey } from './DeleteKey.tsx';
import { EditKey } from './EditKey.tsx';
import { NewKey } from './NewKey.tsx';
import { RevealKey } from './RevealKey.tsx';
import { SCOPES } from './scopes.ts';

const KeyTable = ({ keys }: { keys: readonly ApiKey[] }) => (
  <ScrollTable
    label="Table of API keys"
    columns={['Name', 'Scopes', { number: 'Requests per minute' }, 'Last use', { hidden: 'Actions' }]}
  >
    {keys.map((key) => (
      <tr key={key._id}>
        <th scope="row">{visibleText(key.name)}</th>
        <td className="scopes">{key.scopes.map((scope) => SCOPES[scope]).join(', ') || 'none'}</td>
        <td className="number">{key.rateLimit}</td>
        <td>
          <Time value={key.lastUsedTime} />
        </td>
        <td className="actions">
          <EditKey apiKey={key} />
          <RevealKey apiKey={key} />
          <DeleteKey apiKey={key} />
        </td>
      </tr>
    ))}
  </ScrollTable>
);

/** The API keys of the organization. */
export const KeysPage = () => {
  const { data, error, isPending } = useQuery(keysQuery);
  return (
    <>
      <PageHeading>API keys</PageHeading>
      <div className="buttons">
        <NewKey />
      </div>
      <Problem error={error} />
      {isPending && <p role="status">Loading keys…</p>}
      {data?.length === 0 && (
        <p className="empty">There is no key yet. A program needs one to call the API.</p>
      )}
      {data !== undefined && data.length > 0 && <KeyTable keys={data} />}
    </>
  );
};
