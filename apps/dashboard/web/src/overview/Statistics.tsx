import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Choose } from '../components/Field.tsx';
import { OUTCOMES } from '../deliveries/cure.ts';
import { Problem } from '../layout/Problem.tsx';
import { barsOf, durationOf, type Hour, PERIODS, type Period, totalOf } from './hours.ts';
import { OutcomeChart } from './OutcomeChart.tsx';
import { type StatisticsFilter, statisticsQuery } from './requests.ts';

const FORMATS: Readonly<Record<Period, Intl.DateTimeFormat>> = {
  day: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }),
  month: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }),
};
const SHARES = [0.5, 0.95, 0.99] as const;

const Summary = ({ hours }: { hours: readonly Hour[] }) => {
  const total = totalOf(hours);
  return (
    <dl className="figures">
      {(['succeeded', 'failed', 'skipped', 'interrupted'] as const).map((outcome) => (
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

/**
 * Deliveries by outcome and duration over 24 hours or 30 days.
 *
 * @param props.children further filters
 */
export const Statistics = ({ filter, children }: { filter: StatisticsFilter; children?: ReactNode }) => {
  const [period, setPeriod] = useState<Period>('day');
  const { data, error, isPending } = useQuery(statisticsQuery(period, filter));
  return (
    <>
      <div className="filters">
        {children}
        <Choose
          label="Period"
          value={period}
          choices={Object.entries(PERIODS).map(([value, { label }]) => ({ value, label }))}
          onChange={(value) => setPeriod(value === 'month' ? 'month' : 'day')}
        />
      </div>
      <Problem error={error} />
      {isPending && <p role="status">Loading statistics…</p>}
      {data !== undefined && (
        <>
          <OutcomeChart bars={barsOf(data, period, Date.now())} format={FORMATS[period]} />
          <Summary hours={data} />
        </>
      )}
    </>
  );
};
