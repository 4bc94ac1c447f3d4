import type { OpeningHours, SetOpeningHours } from '@chairside/client';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { hoursOfDay } from '../../clinics/clock.ts';
import type { Day } from '../../clinics/days.ts';
import { hoursOn } from '../../clinics/hours.ts';
import { ConfirmDialog } from '../../components/dialogs/ConfirmAction.tsx';
import { Filters } from '../../components/lists/Filters.tsx';
import { type Column, Table } from '../../components/lists/Table.tsx';
import { Actions } from '../../components/menus/Actions.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { Chip } from '../../components/texts/Chip.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { AddDays, EditDay } from './AddDays.tsx';
import { dayText, type Exception, intervalsText, withExceptions } from './hours.ts';

type Change = (exceptions: Exception[]) => void;

/** A day of 23 or 25 hours is pointed out. */
const LengthOfDay = ({ day, timeZone }: { day: Day; timeZone: string | undefined }) => {
  const length = useMemo(() => hoursOfDay(day, timeZone), [day, timeZone]);
  return length === 24 ? null : <Chip tone="info">{countText(length)} hours</Chip>;
};

const columnsOf = (
  hours: SetOpeningHours,
  stored: OpeningHours | undefined,
  timeZone: string | undefined,
  onChange: Change | undefined,
): Column<Exception>[] => {
  const exceptions = hours.exceptions ?? [];
  const saved = new Map(stored?.exceptions.map((each) => [each.date, intervalsText(each.intervals)]));
  const columns: Column<Exception>[] = [
    { name: 'Date', cell: ({ date }) => dayText(date), isHeader: true, card: '1' },
    { name: 'Hours', cell: ({ intervals }) => intervalsText(intervals), grow: 1, card: '2' },
    {
      name: 'Note',
      cell: ({ date, intervals }) => (
        <>
          <LengthOfDay day={date} timeZone={timeZone} />
          {saved.get(date) !== intervalsText(intervals) && <Chip tone="warning">Not saved</Chip>}
        </>
      ),
      card: '2r',
    },
  ];
  if (onChange === undefined) return columns;
  return [
    ...columns,
    {
      name: 'Actions',
      isNameHidden: true,
      cell: (exception) => {
        const others = exceptions.filter(({ date }) => date !== exception.date);
        const usual = intervalsText(hoursOn({ ...hours, exceptions: others }, exception.date));
        return (
          <Actions
            of={dayText(exception.date)}
            areButtons
            actions={[
              {
                name: 'Edit',
                dialog: (close) => (
                  <EditDay
                    exception={exception}
                    onEdit={(edited) => onChange(withExceptions(exceptions, [edited]))}
                    onClose={close}
                  />
                ),
              },
              {
                name: 'Remove',
                isDanger: true,
                dialog: (close) => (
                  <ConfirmDialog
                    title={`Remove ${dayText(exception.date)}?`}
                    submit="Remove"
                    cancel="Keep it"
                    danger
                    act={() => Promise.resolve()}
                    onDone={async () => onChange(others)}
                    onClose={close}
                  >
                    <p>The usual hours of the weekday apply to this day when you save: {usual}.</p>
                  </ConfirmDialog>
                ),
              },
            ]}
          />
        );
      },
      card: '1r',
    },
  ];
};

/** The dates with other hours than their weekday. Most of them are closed. */
export const ClosedDays = ({
  hours,
  stored,
  today,
  timeZone,
  year,
  onChange,
}: {
  hours: SetOpeningHours;
  stored: OpeningHours | undefined;
  today: Day;
  timeZone: string | undefined;
  year: string | undefined;
  /** Absent if the operator may only read. */
  onChange?: Change;
}) => {
  const navigate = useNavigate({ from: '/schedule' });
  const exceptions = hours.exceptions ?? [];
  const years = [...new Set(exceptions.map(({ date }) => date.slice(0, 4)))];
  const rows = exceptions.filter(({ date }) =>
    year === undefined ? date >= today : date.startsWith(`${year}-`),
  );
  return (
    <>
      <div className="list-line">
        <Filters
          search={{}}
          onChange={(change) => void navigate({ search: (kept) => ({ ...kept, ...change }) })}
          filters={[
            {
              name: 'year',
              label: 'Days',
              any: 'From today on',
              value: year,
              choices: years.map((value) => ({ value, label: value })),
              isPinned: true,
            },
          ]}
        />
        {onChange !== undefined && (
          <AddDays exceptions={exceptions} onAdd={(added) => onChange(withExceptions(exceptions, added))} />
        )}
      </div>
      {rows.length === 0 ? (
        <Empty title="No closed days" isFiltered={exceptions.length > 0}>
          <p>
            {onChange === undefined
              ? 'On all of these days the clinic has the hours of the week.'
              : 'Press “Add days” and paste the closed days of a year, one date on each line.'}
          </p>
        </Empty>
      ) : (
        <Table
          label="Table of closed days"
          columns={columnsOf(hours, stored, timeZone, onChange)}
          rows={rows}
          keyOf={({ date }) => date}
          headOf={({ date }) =>
            rows.find((each) => each.date.startsWith(date.slice(0, 4)))?.date === date
              ? date.slice(0, 4)
              : undefined
          }
        />
      )}
      <p className="quiet small">
        On these days the clinic is closed, or has the hours that are shown instead of those of the weekday.
      </p>
    </>
  );
};
