import type { WebhookStatisticsRow } from '@chairside/client';
import { Link } from '@tanstack/react-router';
import { useClinicNames } from '../clinics/requests.ts';
import { countText, durationText, shareText } from '../components/texts/numbers.ts';
import { barsOf, durationOf, highestOf, type Period, totalOf } from './hours.ts';
import { OutcomeChart } from './OutcomeChart.tsx';

/** Maximum number of clinics that have a chart. The clinics with the most failures have precedence. */
const MAX_CLINICS = 12;

/**
 * Shows a chart for each clinic with deliveries, the clinics with the most failures first. Shows nothing if fewer than
 * two clinics have deliveries. The charts have the same scale, so that their bars can be compared.
 */
export const ClinicCharts = ({
  rows,
  period,
  format,
}: {
  rows: readonly WebhookStatisticsRow[];
  period: Period;
  format: Intl.DateTimeFormat;
}) => {
  const nameOf = useClinicNames();
  const byClinic = Object.entries(Object.groupBy(rows, ({ clinicId }) => clinicId))
    .map(([clinicId, hours = []]) => ({
      ...{ clinicId, hours, total: totalOf(hours) },
      bars: barsOf(hours, period, Date.now()),
    }))
    .toSorted((one, other) => other.total.failed - one.total.failed);
  if (byClinic.length < 2) return null;
  const shown = byClinic.slice(0, MAX_CLINICS);
  const highest = Math.max(...shown.map(({ bars }) => highestOf(bars)));
  return (
    <section aria-labelledby="clinics" className="part">
      <h3 id="clinics">By clinic</h3>
      {byClinic.length > MAX_CLINICS && (
        <p className="quiet">
          Only the {MAX_CLINICS} clinics with the most failures are shown. To see another one, choose it in
          the filter.
        </p>
      )}
      <ul className="charts">
        {shown.map(({ clinicId, hours, total, bars }) => (
          <li key={clinicId}>
            <Link to="/" search={{ clinicId }}>
              {nameOf(clinicId)}
            </Link>
            <p className="quiet small">
              {countText(total.succeeded)} succeeded, {countText(total.failed)} failed, {shareText(0.95)} of
              attempts within {durationText(durationOf(hours, 0.95) ?? 0)}
            </p>
            <OutcomeChart
              bars={bars}
              highest={highest}
              total={total}
              format={format}
              label={`Deliveries of ${nameOf(clinicId)} over time`}
            />
          </li>
        ))}
      </ul>
    </section>
  );
};
