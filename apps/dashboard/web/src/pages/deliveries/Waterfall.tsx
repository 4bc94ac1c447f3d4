import type { WebhookDelivery } from '@chairside/client';
import { Card } from '../../components/page-parts/Card.tsx';
import { durationText } from '../../components/texts/numbers.ts';
import './Waterfall.css';

const PHASES = [
  { name: 'lookup', label: 'DNS' },
  { name: 'connect', label: 'Connect' },
  { name: 'tls', label: 'TLS' },
  { name: 'firstByte', label: 'First byte' },
] as const;
/** The label of the last phase of an attempt to which no response came. */
const NO_RESPONSE = 'No response';

/**
 * The phases of an attempt as bars one below the other. The position of a bar shows when the phase began, and the
 * length of the bar shows the duration.
 */
export const Waterfall = ({ delivery }: { delivery: WebhookDelivery }) => {
  const { timings = {}, duration, statusCode } = delivery;
  if (duration === undefined)
    return (
      <Card title="Timings of the attempt">
        <p className="quiet">There was no attempt.</p>
      </Card>
    );
  const total = Math.max(duration, 0.001);
  let begin = 0;
  const rows = PHASES.flatMap(({ name, label }) => {
    const length = timings[name];
    if (length === undefined) return [];
    const isUnanswered = name === 'firstByte' && statusCode === undefined;
    const row = {
      label: isUnanswered ? NO_RESPONSE : label,
      isUnanswered,
      length,
      left: (begin / total) * 100,
      width: Math.max((length / total) * 100, 0.5),
    };
    begin += length;
    return [row];
  });
  if (rows.length === 0) return null;
  return (
    <Card
      title="Timings of the attempt"
      end={<span className="quiet small">{durationText(duration)} in all</span>}
    >
      <table className="waterfall">
        <thead className="hidden">
          <tr>
            <th scope="col">Phase</th>
            <th scope="col">When</th>
            <th scope="col">Duration</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, isUnanswered, length, left, width }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className="track">
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect className="ground" width="100" height="10" />
                  <rect
                    className={isUnanswered ? 'failed' : 'phase'}
                    x={left}
                    width={Math.min(width, 100 - left)}
                    height="10"
                  />
                </svg>
              </td>
              <td>{durationText(length)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
};
