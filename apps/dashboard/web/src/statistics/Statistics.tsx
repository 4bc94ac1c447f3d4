import type { WebhookSubscription } from '@chairside/client';
import { OUTCOMES } from '@chairside/client/words';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { useClinicZone } from '../clinics/requests.ts';
import { formatIn } from '../clinics/zone.ts';
import { Segments } from '../components/forms/Segments.tsx';
import { Table } from '../components/lists/Table.tsx';
import { Problem } from '../components/states/Problem.tsx';
import { Waiting } from '../components/states/Waiting.tsx';
import { countText, durationText, NO_FIGURE, shareText } from '../components/texts/numbers.ts';
import { LANGUAGE } from '../language.ts';
import { ClinicCharts } from './ClinicCharts.tsx';
import {
  type Bar,
  barsOf,
  durationOf,
  HOUR,
  type Hour,
  OUTCOME_NAMES,
  PERIODS,
  type Period,
  totalOf,
} from './hours.ts';
import { OutcomeChart } from './OutcomeChart.tsx';
import { type StatisticsFilter, statisticsQuery } from './requests.ts';
import { SuccessRate } from './SuccessRate.tsx';
import '../components/page-parts/Card.css';
import '../components/lists/Filters.css';
import './Figures.css';

const FORMATS: Readonly<Record<Period, Intl.DateTimeFormatOptions>> = {
  day: { hour: '2-digit', minute: '2-digit' },
  month: { day: 'numeric', month: 'short' },
};
const PERIOD_CHOICES = Object.entries(PERIODS).map(([value, { label }]) => ({ value, label }));

const Figures = ({
  hours,
  subscription,
}: {
  hours: readonly Hour[];
  subscription: WebhookSubscription | undefined;
}) => {
  const total = totalOf(hours);
  const attempts = total.succeeded + total.failed;
  const duration = durationOf(hours, 0.95);
  return (
    <dl className="figures">
      <div>
        <dt>Delivered</dt>
        <dd>
          {countText(total.succeeded)} <small>of {countText(attempts)}</small>
        </dd>
      </div>
      <SuccessRate label="Success rate" total={total} subscription={subscription} />
      <div>
        <dt>Failed</dt>
        <dd>{countText(total.failed)}</dd>
      </div>
      <div>
        <dt>{shareText(0.95)} of attempts within</dt>
        <dd>{duration === undefined ? NO_FIGURE : durationText(duration)}</dd>
      </div>
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
      <Table
        label="Table of deliveries over time"
        rows={filled.toReversed()}
        keyOf={({ time }) => String(time)}
        columns={[
          { name: 'From', cell: ({ time }) => format.format(time), isHeader: true, card: '1w' },
          ...OUTCOME_NAMES.map((name, index) => ({
            name: OUTCOMES[name],
            cell: ({ outcomes }: Bar) => (
              <>
                <span className="in-card">{OUTCOMES[name]}: </span>
                {countText(outcomes[name])}
              </>
            ),
            isNumber: true,
            card: (['2', '2r', '3', '3r'] as const)[index] ?? '3',
          })),
        ]}
      />
    </details>
  );
};

/**
 * Deliveries by outcome and duration over 24 hours or 30 days.
 *
 * @param props.clinicId the clinic whose zone the times are in; without it, the reader's zone
 * @param props.subscription the only one that is counted, if it is one
 * @param props.heading the title of the part, in the line of the filters
 * @param props.children further filters
 */
export const Statistics = ({
  filter,
  clinicId,
  subscription,
  heading,
  children,
}: {
  filter: StatisticsFilter;
  clinicId: string | undefined;
  subscription?: WebhookSubscription;
  heading?: ReactNode;
  children?: ReactNode;
}) => {
  const [period, setPeriod] = useState<Period>('day');
  const { data, error, isPending, refetch } = useQuery(statisticsQuery(period, filter));
  const navigate = useNavigate();
  const timeZone = useClinicZone(clinicId);
  const format = formatIn(timeZone, FORMATS[period]) ?? new Intl.DateTimeFormat(LANGUAGE, FORMATS[period]);
  const bars = useMemo(() => barsOf(data ?? [], period, Date.now()), [data, period]);
  const open = ({ time }: Bar) =>
    void navigate({
      to: '/deliveries',
      search: {
        ...filter,
        since: new Date(time).toISOString(),
        until: new Date(time + PERIODS[period].step * HOUR).toISOString(),
      },
    });
  return (
    <>
      <div className="filters">
        {heading}
        {children}
        <Segments
          label="Period"
          value={period}
          choices={PERIOD_CHOICES}
          onChange={(value) => setPeriod(value === 'month' ? 'month' : 'day')}
        />
      </div>
      {data === undefined ? <Problem error={error} again={refetch} /> : <Problem error={error} />}
      {isPending && <Waiting of="statistics" />}
      {data !== undefined && (
        <div className="stack">
          <div>
            <Figures hours={data} subscription={subscription} />
            <p className="quiet small">First attempts only: no redeliveries, no tests.</p>
          </div>
          <div className="card">
            <div className="pad">
              <OutcomeChart
                bars={bars}
                total={totalOf(data)}
                format={format}
                label="Deliveries over time"
                onOpen={open}
              />
              {timeZone !== undefined && <p className="quiet small">Times of the clinic ({timeZone}).</p>}
              <BarTable bars={bars} format={format} />
            </div>
          </div>
          <ClinicCharts rows={data} period={period} format={format} />
        </div>
      )}
    </>
  );
};
