import type { AuditEntry } from '@chairside/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, UserRound } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { AuditList } from '../../audit/AuditList.tsx';
import { Pager } from '../../components/lists/Pager.tsx';
import { usePage } from '../../components/lists/page.ts';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { RefreshButton } from '../../components/states/RefreshButton.tsx';
import { tip } from '../../components/texts/tip.ts';
import { usePrincipals } from '../../principals/names.ts';
import { namesQuery } from '../../records/names.ts';
import { AuditFilters } from './AuditFilters.tsx';
import { auditQuery, downloadEntries } from './requests.ts';
import type { AuditSearch } from './search.ts';

/** The most patients whose names are read for a page of entries: those of one request. */
const MAX_NAMED = 200;

/** The patients in some entries, as far as their names are read. */
const patientsIn = (entries: readonly AuditEntry[]): { patientId: string }[] =>
  entries
    .filter(({ kind }) => kind === 'patient')
    .flatMap(({ ids }) => ids)
    .slice(0, MAX_NAMED)
    .map((patientId) => ({ patientId }));

/** The audit log with its filters and the download. */
export const AuditPage = () => {
  const search = useSearch({ from: '/signed-in/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const list = useQuery(auditQuery(search));
  const download = useMutation({ mutationFn: () => downloadEntries(search) });
  const { principals, isPending: namesPend } = usePrincipals();
  const page = usePage(list, namesPend);
  const [areNamed, setNamed] = useState(false);
  const patients = patientsIn(page?.data ?? []);
  const { data: names, error: namesError } = useQuery({
    ...namesQuery(patients),
    enabled: areNamed && patients.length > 0,
  });
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const filter = (change: AuditSearch) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  const isFiltered = Object.values({ ...search, cursor: undefined }).some((value) => value !== undefined);
  return (
    <>
      <PageHeading
        note="Who has read and changed what. The name of a person or a program leads to what they did on that day."
        actions={
          <>
            <RefreshButton query={list} />
            {!areNamed && (
              <Button
                isDisabled={patients.length === 0}
                onPress={() => setNamed(true)}
                {...tip('Reading names leaves an audit entry, too.')}
              >
                <UserRound aria-hidden="true" />
                Show names
              </Button>
            )}
            <Button isPending={download.isPending} onPress={() => download.mutate()}>
              <Download aria-hidden="true" />
              Download CSV
            </Button>
          </>
        }
      >
        Audit log
      </PageHeading>
      <AuditFilters search={search} principals={principals} onChange={filter} />
      {search.requestId !== undefined && (
        <p className="quiet small">
          Entries of one request: <code>{search.requestId}</code>
        </p>
      )}
      <Problem error={download.error ?? namesError} />
      <AuditList
        of="audit entries"
        query={list}
        entries={page?.data}
        principals={principals}
        patients={areNamed ? names : undefined}
        marked={search.recordId}
        empty={
          <Empty
            isFiltered={isFiltered}
            title={page?.nextCursor === undefined ? 'No entry matches.' : 'No entry matches so far.'}
          >
            <p>
              Every read and change of a record about a patient leaves an entry, and so does every sign-in and
              every change of operators, keys and subscriptions.
            </p>
          </Empty>
        }
      />
      <Pager
        isFirst={search.cursor === undefined}
        page={page}
        onFirst={() => filter({})}
        onNext={(cursor) => void navigate({ search: (kept) => ({ ...kept, cursor }) })}
      />
    </>
  );
};
