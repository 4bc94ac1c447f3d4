import { OUTCOMES } from '@chairside/client/words';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useClinicZone } from '../clinics/requests.ts';
import { formatIn } from '../clinics/zone.ts';
import { Select } from '../components/Field.tsx';
import { Problem } from '../components/Problem.tsx';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { ClinicCharts } from './ClinicCharts.tsx';
import {
  type Bar,
  barsOf,
  durationOf,
  type Hour,
  OUTCOME_NAMES,
  PERIODS,
  type Period,
  totalOf,
} from './hours.ts';
import { OutcomeChart } from './OutcomeChart.tsx';
import { type StatisticsFilter, statisticsQuery } from './requests.ts';
import '../components/Filters.css';
import './Statistics.css';

const FORMATS: Readonly<Record<Period, Intl.DateTimeFormatOptions>> = {
  day: { hour: '2-digit', minute: '2-digit' },
  month: { day: 'numeric', month: 'short' },
};
const PERIOD_CHOICES = Object.entries(PERIODS).map(([value, { label }]) => ({ value, label }));
const SHARES = [0.5, 0.95, 0.99] as const;

const Summary = ({ hours }: { hours: readonly Hour[] }) => {
  const total = totalOf(hours);
  return (
    <dl className="figures">
      {OUTCOME_NAMES.map((outcome) => (
        <div key={outcome}>
          <dt>{OUTCOMES[outcome]}</dt>
          <dd>{total[outcome].toLocaleString()}</dd>
        </div>
      ))}
      {SHARES.map((share) => {
        const duration = durationOf(hours, share);
        return (
          duration !== undefined && (
            <div key={share}>
              <dt>{share * 100} % of attempts</dt>
              <dd>within {duration.toLocaleString()} ms</dd>
            </div>
          )
        );
      })}
    </dl>
  );
};

/** The bars of the chart as a table. It contains only bars with deliveries, the latest first. */
const BarTable = ({ bars, format }: { bars: readonly Bar[]; format: Intl.DateTimeFormat }) => {
  const filled = bars.filter(({ outcomes }) => OUTCOME_NAMES.some((name) => outcomes[name] > 0));
  if (filled.length === 0) return null;
  return (
    <details>
      <summary>Show as a table</summary>
      <ScrollTable
        label="Table of deliveries over time"
        columns={['From', ...OUTCOME_NAMES.map((name) => ({ number: OUTCOMES[name] }))]}
      >
        {filled.toReversed().map(({ time, outcomes }) => (
          <tr key={time}>
            <th scope="row">{format.format(time)}</th>
            {OUTCOME_NAMES.map((name) => (
              <td key={name} className="number">
                {outcomes[name].toLocaleString()}
              </td>
            ))}
          </tr>
        ))}
      </ScrollTable>
    </details>
  );
};

/**
 * Deliveries by outcome and duration over 24 hours or 30 days.
 *
 * @param props.clinicId the clinic whose zone the times are in; without it, the reader's zone
 * @param props.children further filters
 */
export const Statistics = ({
  filter,
  clinicId,
  children,
}: {
  filter: StatisticsFilter;
  clinicId: string | undefined;
  children?: ReactNode;
}) => {
  const [period, setPeriod] = useState<Period>('day');
  const { data, error, isPending } = useQuery(statisticsQuery(period, filter));
  const timeZone = useClinicZone(clinicId);
  const format = formatIn(timeZone, FORMATS[period]) ?? new Intl.DateTimeFormat(undefined, FORMATS[period]);
  const bars = useMemo(() => barsOf(data ?? [], period, Date.now()), [data, period]);
  return (
    <>
      <div className="filters">
        {children}
        <Select
          label="Period"
          value={period}
          choices={PERIOD_CHOICES}
          onChange={(value) => setPeriod(value === 'month' ? 'month' : 'day')}
        />
      </div>
      <Problem error={error} />
      {isPending && <p role="status">Loading statistics…</p>}
      {data !== undefined && (
        <>
          <OutcomeChart bars={bars} format={format} />
          {timeZone !== undefined && <p className="quiet">Times of the clinic ({timeZone}).</p>}
          <Summary hours={data} />
          <BarTable bars={bars} format={format} />
          <ClinicCharts rows={data} period={period} format={format} />
        </>
      )}
    </>
  );
};
