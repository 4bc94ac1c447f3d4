import type { ApiKey } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useClinicNames } from '../../clinics/requests.ts';
import { List } from '../../components/lists/List.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { Actions } from '../../components/menus/Actions.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { Chip } from '../../components/texts/Chip.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { keysQuery } from '../../principals/requests.ts';
import { DeleteKey } from './DeleteKey.tsx';
import { EditKey } from './EditKey.tsx';
import { NewKey } from './NewKey.tsx';
import { RevealKey } from './RevealKey.tsx';
import { RotateKey } from './RotateKey.tsx';
import { ALL_SCOPES, grantsOf, READ_SCOPES } from './scopes.ts';
import './KeysPage.css';

/** A key that was not used for this long may be forgotten, in days. */
const FORGOTTEN = 30;
/** From when on the end of a key is marked, in days before it. */
const ENDS_SOON = 7;
const DAY = 24 * 60 * 60_000;

const Scopes = ({ scopes }: Pick<ApiKey, 'scopes'>) => {
  if (scopes.length === 0) return <span className="quiet">none</span>;
  const isAll = scopes.length === ALL_SCOPES.length;
  const isReader =
    READ_SCOPES.length === scopes.length && READ_SCOPES.every((scope) => scopes.includes(scope));
  if (isAll || isReader)
    return (
      <span className={isAll ? 'scope writes' : 'scope'}>
        All resources <span>{isAll ? 'read + write' : 'read'}</span>
      </span>
    );
  return (
    <span className="scopes">
      {grantsOf(scopes).map(({ resource, reads, writes }) => (
        <span key={resource} className={writes ? 'scope writes' : 'scope'}>
          {resource.charAt(0).toUpperCase() + resource.slice(1)}{' '}
          <span>{writes ? (reads ? 'read + write' : 'write') : 'read'}</span>
        </span>
      ))}
    </span>
  );
};

/** The clinics of a key, by name. */
const Clinics = ({ clinicIds }: { clinicIds: ApiKey['clinicIds'] | undefined }) => {
  const nameOf = useClinicNames();
  if (clinicIds === undefined) return <span className="quiet">All</span>;
  const names = clinicIds.map(nameOf);
  return <span {...tip(names.join('\n'))}>{names.join(', ')}</span>;
};

/** When a key ends. One that has ended, or will soon, is marked. */
const End = ({ expiryTime }: Pick<ApiKey, 'expiryTime'>) => {
  if (expiryTime === undefined) return <span className="quiet">–</span>;
  const left = Date.parse(expiryTime) - Date.now();
  if (left > ENDS_SOON * DAY) return <Time value={expiryTime} />;
  return (
    <span {...tip(expiryTime)}>
      <Chip tone="warning">{left <= 0 ? 'Ended' : `In ${countText(Math.ceil(left / DAY))} days`}</Chip>
    </span>
  );
};

/** The last use of a key. A key that nobody uses is marked, because it may be deleted. */
const LastUse = ({ apiKey: { lastUsedTime, createdTime } }: { apiKey: ApiKey }) => {
  const idle = Math.floor((Date.now() - Date.parse(lastUsedTime ?? createdTime)) / DAY);
  if (idle < FORGOTTEN) return <Time value={lastUsedTime} />;
  return (
    <span {...tip(`Created ${createdTime}\nLast use ${lastUsedTime ?? 'never'}`)}>
      <Chip tone="warning">
        {lastUsedTime === undefined ? 'Never used' : `Not for ${countText(idle)} days`}
      </Chip>
    </span>
  );
};

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    name: 'Name',
    cell: ({ name }) => <span {...tip(visibleText(name))}>{visibleText(name)}</span>,
    isHeader: true,
    grow: 2,
    card: '1',
  },
  { name: 'Scopes', cell: Scopes, grow: 2, card: '2w' },
  { name: 'Clinics', cell: ({ clinicIds }) => <Clinics clinicIds={clinicIds} />, grow: 1, from: 'medium' },
  {
    name: 'Per minute',
    cell: ({ rateLimit }) => countText(rateLimit),
    isNumber: true,
    from: 'wide',
  },
  {
    name: 'Last use',
    cell: (key) => (
      <>
        <span className="in-card">Last use: </span>
        <LastUse apiKey={key} />
      </>
    ),
    isNumber: true,
    card: '3w',
  },
  { name: 'Ends', cell: End, isNumber: true, from: 'wide' },
  {
    name: 'Actions',
    isNameHidden: true,
    cell: (key) => (
      <Actions
        of={key.name}
        areButtons
        actions={[
          { name: 'Edit', dialog: (close) => <EditKey apiKey={key} onClose={close} /> },
          { name: 'Rotate', dialog: (close) => <RotateKey apiKey={key} onClose={close} /> },
          { name: 'Reveal', dialog: (close) => <RevealKey apiKey={key} onClose={close} /> },
          { name: 'Delete', isDanger: true, dialog: (close) => <DeleteKey apiKey={key} onClose={close} /> },
        ]}
      />
    ),
    card: '1r',
  },
];

/** The API keys of the organization. */
export const KeysPage = () => {
  const query = useQuery(keysQuery);
  return (
    <>
      <PageHeading
        note="A program proves itself with a key. Give each program its own, with the least it needs."
        actions={<NewKey />}
      >
        API keys
      </PageHeading>
      <List
        of="API keys"
        query={query}
        rows={query.data}
        columns={COLUMNS}
        keyOf={({ _id }) => _id}
        isTall
        empty={
          <Empty title="No key yet">
            <p>
              A program needs a key to read and write the records of your practice. Press “New key”, and give
              its secret to the developer of the program.
            </p>
          </Empty>
        }
      />
    </>
  );
};
