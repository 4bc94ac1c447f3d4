import type { ReactNode } from 'react';
import { ACTIONS, KINDS } from '../../audit/words.ts';
import { choicesOf } from '../../components/forms/Field.tsx';
import { Filters } from '../../components/lists/Filters.tsx';
import { IdFilter } from '../../components/lists/IdFilter.tsx';
import { TimeRange } from '../../components/lists/TimeRange.tsx';
import type { Principals } from '../../principals/names.ts';
import type { AuditSearch } from './search.ts';

/**
 * The filters of the audit log. The address of the page contains them. It contains the id of a principal, never the
 * name.
 */
export const AuditFilters = ({
  search,
  principals,
  onChange,
}: {
  search: AuditSearch;
  principals: Principals;
  onChange(change: AuditSearch): void;
}): ReactNode => (
  <Filters
    search={search}
    onChange={onChange}
    filters={[
      {
        name: 'principalId',
        label: 'Operator, key or token',
        any: 'Everyone',
        value: search.principalId,
        choices: choicesOf(Object.fromEntries(principals.names)),
        isPinned: true,
      },
      { name: 'kind', label: 'Kind', any: 'All kinds', value: search.kind, choices: choicesOf(KINDS) },
      {
        name: 'action',
        label: 'Action',
        any: 'All actions',
        value: search.action,
        choices: choicesOf(ACTIONS),
      },
    ]}
  >
    <IdFilter
      key={search.recordId ?? ''}
      label="Record id"
      value={search.recordId}
      onChange={(recordId) => onChange({ recordId })}
    />
    <TimeRange label="Time" value={search} onChange={onChange} />
  </Filters>
);
