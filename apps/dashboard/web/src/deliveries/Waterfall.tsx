import type { WebhookDelivery } from '@chairside/client';
import './Waterfall.css';

const PHASES = [
  { name: 'lookup', label: 'DNS' },
  { name: 'connect', label: 'Connect' },
  { name: 'tls', label: 'TLS' },
  { name: 'firstByte', label: 'First byte' },
] as const;
/** The label of the last phase of an attempt to which no response came. */
const NO_RESPONSE = 'No response';

const milliseconds = (value: number): string =>
  `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })} ms`;

/**
 * The phases of an attempt as bars one below the other. The position of a bar shows when the phase began, and the
 * length of the bar shows the duration.
 */
export const Waterfall = ({ delivery }: { delivery: WebhookDelivery }) => {
  const { timings = {}, duration, statusCode } = delivery;
  if (duration === undefined) return <p className="quiet">There was no attempt.</p>;
  const total = Math.max(duration, 0.001);
  let begin = 0;
  const rows = PHASES.flatMap(({ name, label }) => {
    const length = timings[name];
    if (length === undefined) return [];
    const isUnanswered = name === 'firstByte' && statusCode === undefined;
    const row = {
      label: isUnanswered ? NO_RESPONSE : label,
      length,
      left: (begin / total) * 100,
      width: Math.max((length / total) * 100, 0.5),
    };
    begin += length;
    return [row];
  });
  return (
    <table className="waterfall">
      <caption>Timings of the attempt: {milliseconds(duration)} in all</caption>
      <thead>
        <tr>
          <th scope="col">Phase</th>
          <th scope="col">Duration</th>
          <th scope="col">
            <span className="hidden">When</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, length, left, width }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>{milliseconds(length)}</td>
            <td className="track" aria-hidden="true">
              <span style={{ marginInlineStart: `${left}%`, width: `${Math.min(width, 100 - left)}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
