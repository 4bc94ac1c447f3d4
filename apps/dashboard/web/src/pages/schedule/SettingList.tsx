import type { Page } from '@chairside/client';
import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useWaitForClinics } from '../../clinics/requests.ts';
import { DialogButton } from '../../components/dialogs/DialogButton.tsx';
import { type Filter, Filters } from '../../components/lists/Filters.tsx';
import { List } from '../../components/lists/List.tsx';
import { Pager } from '../../components/lists/Pager.tsx';
import { usePage } from '../../components/lists/page.ts';
import type { Column } from '../../components/lists/Table.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { useSession } from '../../session/session.ts';
import type { ScheduleSearch } from './search.ts';
import './Schedule.css';

/** A list of settings in pages, with its filters in the address and a button that creates one. */
export const SettingList = <S extends { _id: string }>({
  of,
  create,
  search,
  query,
  columns,
  actions,
  filters,
  order,
  isReady = true,
  note,
  help,
  form,
  action,
  children,
}: {
  /** The settings in the plural, such as `providers`. */
  of: string;
  /** The words on the button that creates one. */
  create: string;
  search: ScheduleSearch;
  query: { data: Page<S> | undefined; error: unknown; refetch(): unknown };
  columns: readonly Column<S>[];
  /** The column with the buttons of administrators. */
  actions: Column<S>;
  filters: readonly Filter[];
  order: string;
  /** Whether the names in the rows are read. */
  isReady?: boolean;
  /** What to know about the rows. */
  note?: string;
  /** What the settings are for, while there are none. */
  help: string;
  form(onClose: () => void): ReactNode;
  /** A further button of administrators. */
  action?: ReactNode;
  /** Further filters. */
  children?: ReactNode;
}) => {
  const isAdministrator = useSession().role === 'administrator';
  const navigate = useNavigate({ from: '/schedule' });
  const waits = useWaitForClinics();
  const { tab, cursor, ...filter } = search;
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const show = (change: ScheduleSearch) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const page = usePage(query, waits || !isReady);
  return (
    <>
      <div className="list-line">
        <Filters search={filter} kept={{ tab }} filters={filters} onChange={show}>
          {children}
        </Filters>
        {isAdministrator && (
          <div className="buttons">
            {action}
            {/* Before the clinics are read, a form knows neither their names nor their zones. */}
            <DialogButton
              name={create}
              className="primary"
              icon={<Plus aria-hidden="true" />}
              isDisabled={waits}
            >
              {form}
            </DialogButton>
          </div>
        )}
      </div>
      <List
        of={of}
        query={query}
        rows={page?.data}
        columns={isAdministrator ? [...columns, actions] : columns}
        keyOf={({ _id }) => _id}
        empty={
          isFiltered ? (
            <Empty isFiltered title={`No ${of} match these filters`} />
          ) : (
            <Empty title={`No ${of} yet`}>
              <p>
                {help} {isAdministrator && `Press “${create}”.`}
              </p>
            </Empty>
          )
        }
      />
      {note !== undefined && <p className="quiet small">{note}</p>}
      <Pager
        isFirst={cursor === undefined}
        page={page}
        order={order}
        onFirst={() => show({})}
        onNext={(next) => show({ cursor: next })}
      />
    </>
  );
};
