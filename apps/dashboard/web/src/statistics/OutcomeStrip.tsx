import { countText } from '../components/texts/numbers.ts';
import { tip } from '../components/texts/tip.ts';
import { barsOf, type Hour, OUTCOME_NAMES, type Outcomes, PERIODS, totalOf } from './hours.ts';
import './OutcomeStrip.css';

const STEP = 5;
const THICKNESS = 3;
const HEIGHT = 18;
/** The heights of the columns. A failure must not depend on its colour alone. */
const HEIGHTS = { failed: 16, succeeded: 8, other: 8, none: 2 } as const;

/** What a column shows of several outcomes: a failure, even if it is the only one. */
const toneOf = ({ succeeded, failed, skipped, interrupted }: Outcomes): keyof typeof HEIGHTS => {
  if (failed > 0) return 'failed';
  if (succeeded > 0) return 'succeeded';
  return skipped + interrupted > 0 ? 'other' : 'none';
};

/**
 * The last 24 hours in one line, a column for each: whether anything failed.
 *
 * @param props.hours those of one subscription, or of several, which add up
 */
export const OutcomeStrip = ({ hours }: { hours: readonly Hour[] }) => {
  const total = totalOf(hours);
  const counts = OUTCOME_NAMES.filter((name) => total[name] > 0).map(
    (name) => `${countText(total[name])} ${name}`,
  );
  const text = `${PERIODS.day.label}: ${counts.length > 0 ? counts.join(', ') : 'nothing sent'}`;
  return (
    <svg
      className="outcome-strip"
      viewBox={`0 0 ${PERIODS.day.hours * STEP} ${HEIGHT}`}
      role="img"
      aria-label={text}
      {...tip(text)}
    >
      {barsOf(hours, 'day', Date.now()).map(({ time, outcomes }, index) => {
        const tone = toneOf(outcomes);
        const height = HEIGHTS[tone];
        return (
          <rect
            key={time}
            className={tone}
            x={index * STEP}
            y={(HEIGHT - height) / 2}
            width={THICKNESS}
            height={height}
            rx="1"
          />
        );
      })}
    </svg>
  );
};
