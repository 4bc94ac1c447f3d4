import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCommonZone, useWaitForClinics } from '../../clinics/requests.ts';
import { Pager } from '../../components/lists/Pager.tsx';
import { usePage } from '../../components/lists/page.ts';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { RefreshButton } from '../../components/states/RefreshButton.tsx';
import { MissingPage } from '../../layout/MissingPage.tsx';
import { isKind, type Kind } from '../../records/kinds.ts';
import { describe, isClinicTime } from './descriptions.ts';
import { NoRecord } from './NoRecord.tsx';
import { PatientsPage } from './PatientsPage.tsx';
import { RecordFilters } from './RecordFilters.tsx';
import { RecordTable } from './RecordTable.tsx';
import { recordsQuery } from './requests.ts';
import type { RecordSearch } from './search.ts';

/** The lists of which the page of a patient shows a part, so that a person can be found by name. */
const PATIENT_LISTS: readonly Kind[] = ['appointments', 'invoices'];

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What applies to all rows of a list, and how to find those of a person. */
const ListNote = ({ kind, order, zone }: { kind: Kind; order: string; zone: string | undefined }) => (
  <>
    <span>{capitalized(order)}.</span>
    {zone !== undefined && describe(kind).columns.some(({ field }) => isClinicTime(field)) && (
      <span>Times of {zone}.</span>
    )}
    {PATIENT_LISTS.includes(kind) && (
      <span>
        To find those of a person, open the page of the{' '}
        <Link to="/records/$kind" params={{ kind: 'patients' }}>
          patient
        </Link>
        .
      </span>
    )}
  </>
);

const RecordList = ({ kind }: { kind: Kind }) => {
  const search = useSearch({ from: '/signed-in/records/$kind' });
  const navigate = useNavigate({ from: '/records/$kind' });
  const { many } = describe(kind);
  const zone = useCommonZone(search.clinicId);
  const order = search.updatedSince === undefined ? describe(kind).order : 'the earliest change first';
  const list = useQuery(recordsQuery(kind, search));
  const page = usePage(list, useWaitForClinics());
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const show = (change: RecordSearch) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  const isFiltered = Object.entries(search).some(
    ([name, value]) => name !== 'view' && name !== 'cursor' && value !== undefined,
  );
  return (
    <>
      <PageHeading
        note={<ListNote kind={kind} order={order} zone={zone} />}
        actions={<RefreshButton query={list} />}
      >
        {many}
      </PageHeading>
      <RecordFilters kind={kind} search={search} onChange={show} />
      <RecordTable
        kind={kind}
        isZoneNamed={zone === undefined}
        query={list}
        records={page?.data}
        empty={<NoRecord kind={kind} isFiltered={isFiltered} isSoFar={page?.nextCursor !== undefined} />}
      />
      <Pager
        isFirst={search.cursor === undefined}
        page={page}
        order={order}
        onFirst={() => show({})}
        onNext={(cursor) => show({ cursor })}
      />
    </>
  );
};

/** The records of one kind. They are read-only here. */
export const RecordsPage = () => {
  const { kind } = useParams({ from: '/signed-in/records/$kind' });
  if (!isKind(kind)) return <MissingPage />;
  if (kind === 'patients') return <PatientsPage />;
  return <RecordList key={kind} kind={kind} />;
};
