import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { isDay } from '../../clinics/days.ts';
import { useCommonZone, useWaitForClinics } from '../../clinics/requests.ts';
import { Segments } from '../../components/forms/Segments.tsx';
import { Filters } from '../../components/lists/Filters.tsx';
import { Pager } from '../../components/lists/Pager.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { RefreshButton } from '../../components/states/RefreshButton.tsx';
import { Snippet } from '../../components/texts/CopyText.tsx';
import { MissingPage } from '../../layout/MissingPage.tsx';
import { isKind, type Kind } from '../../records/kinds.ts';
import { DaySheet } from './DaySheet.tsx';
import { describe, isClinicTime } from './descriptions.ts';
import { type Found, REFUSED, useFoundPatients } from './found-patients.ts';
import { NoPatient } from './NoPatient.tsx';
import { PatientSearch } from './PatientSearch.tsx';
import { RecordFilters } from './RecordFilters.tsx';
import { RecordTable } from './RecordTable.tsx';
import { recordsQuery } from './requests.ts';
import { isList, type RecordSearch } from './search.ts';

const VIEWS = [
  { value: 'day', label: 'Day' },
  { value: 'list', label: 'List' },
];

/** Chooses between the day sheet and the list of appointments. */
const View = ({ search }: { search: RecordSearch }) => {
  const navigate = useNavigate({ from: '/records/$kind' });
  return (
    <Segments
      label="View"
      value={isList(search) ? 'list' : 'day'}
      choices={VIEWS}
      onChange={(view) =>
        void navigate({
          search: ({ clinicId }) => ({
            ...(clinicId !== undefined && { clinicId }),
            ...(view === 'list' && { view }),
          }),
        })
      }
    />
  );
};

const AppointmentsOfDay = ({ search }: { search: RecordSearch }) => {
  const navigate = useNavigate({ from: '/records/$kind' });
  const clinic = useClinicFilter(search.clinicId, true);
  const show = (change: RecordSearch) => void navigate({ search: (kept) => ({ ...kept, ...change }) });
  return (
    <>
      <PageHeading actions={<View search={search} />}>Appointments</PageHeading>
      <Filters search={{ clinicId: search.clinicId }} filters={[clinic]} onChange={show} />
      <DaySheet
        day={isDay(search.day) ? search.day : undefined}
        clinicId={search.clinicId}
        onDay={(day) => show({ day })}
      />
    </>
  );
};

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
  const [shown, setShown] = useState<Found | typeof REFUSED>();
  const found = shown === REFUSED ? undefined : shown;
  const { many, one } = describe(kind);
  const zone = useCommonZone(search.clinicId);
  const order = search.updatedSince === undefined ? describe(kind).order : 'the earliest change first';
  const { cursor } = found ?? search;
  const all = useQuery({ ...recordsQuery(kind, search), enabled: shown === undefined });
  const results = useFoundPatients(found, search);
  const list = shown === undefined ? all : results.query;
  const waits = useWaitForClinics();
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const filter = (change: RecordSearch) => {
    if (found !== undefined) setShown({ ...found, cursor: undefined });
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  };
  const go = (cursor: string | undefined) => {
    if (found !== undefined) return setShown({ ...found, cursor });
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, cursor }) });
  };
  const isFiltered = Object.entries(search).some(
    ([name, value]) => name !== 'view' && name !== 'cursor' && value !== undefined,
  );
  const { data } = list;
  return (
    <>
      <PageHeading
        note={<ListNote kind={kind} order={order} zone={zone} />}
        actions={
          <>
            {kind === 'appointments' && <View search={search} />}
            <RefreshButton query={list} />
          </>
        }
      >
        {many}
      </PageHeading>
      <RecordFilters kind={kind} search={search} onChange={filter}>
        {kind === 'patients' ? (
          <PatientSearch
            results={shown && { ...results, isFirst: cursor === undefined }}
            onChange={(wanted) => setShown(wanted && { search: wanted, cursor: undefined })}
            // The list of all patients stays, because it is no result.
            onRefuse={() => setShown((last) => last && REFUSED)}
          />
        ) : undefined}
      </RecordFilters>
      {shown === REFUSED ? (
        <Empty isFiltered title="Nothing was searched.">
          <p>Enter something else, or press “Show all”.</p>
        </Empty>
      ) : (
        <RecordTable
          // While a search is waiting for rows, the wait begins anew with each page of the api.
          key={data === undefined ? results.progress?.pages : undefined}
          kind={kind}
          isZoneNamed={zone === undefined}
          query={list}
          records={waits ? undefined : data?.data}
          empty={
            found !== undefined ? (
              <NoPatient
                search={found.search}
                isFiltered={isFiltered}
                isSoFar={data?.nextCursor !== undefined}
              />
            ) : (
              <Empty
                isFiltered={isFiltered}
                title={data?.nextCursor === undefined ? 'No record matches.' : 'No record matches so far.'}
              >
                {!isFiltered && (
                  <>
                    <p>Records come in through the API, or with the import of chairside-admin.</p>
                    <Snippet title="Import a file">{`chairside-admin import ${one.toLowerCase()} ${kind}.ndjson`}</Snippet>
                  </>
                )}
              </Empty>
            )
          }
        />
      )}
      {!waits && shown !== REFUSED && (
        <Pager
          isFirst={cursor === undefined}
          page={data}
          order={order}
          onFirst={() => go(undefined)}
          onNext={go}
        />
      )}
    </>
  );
};

/** The records of one kind. They are read-only here. */
export const RecordsPage = () => {
  const { kind } = useParams({ from: '/signed-in/records/$kind' });
  const search = useSearch({ from: '/signed-in/records/$kind' });
  if (!isKind(kind)) return <MissingPage />;
  if (kind === 'appointments' && !isList(search)) return <AppointmentsOfDay search={search} />;
  // The key discards the state of a search when another kind is opened.
  return <RecordList key={kind} kind={kind} />;
};
