import { scaleBand, scaleLinear } from 'd3-scale';
import { type Bar, OUTCOME_NAMES, type Outcomes } from './hours.ts';
import './OutcomeChart.css';

const WIDTH = 720;
const HEIGHT = 190;
const MARGIN = { top: 8, right: 4, bottom: 22, left: 44 };

const sum = (outcomes: Outcomes): number => OUTCOME_NAMES.reduce((total, name) => total + outcomes[name], 0);

/** Bars of outcomes over time. Screen readers skip the chart. */
export const OutcomeChart = ({ bars, format }: { bars: readonly Bar[]; format: Intl.DateTimeFormat }) => {
  const highest = Math.max(1, ...bars.map(({ outcomes }) => sum(outcomes)));
  const x = scaleBand<number>()
    .domain(bars.map(({ time }) => time))
    .range([MARGIN.left, WIDTH - MARGIN.right])
    .padding(0.15);
  const y = scaleLinear()
    .domain([0, highest])
    .nice(4)
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const every = Math.ceil(bars.length / 6);
  return (
    <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {/* The axis shows whole numbers only, because it counts deliveries. */}
      {y
        .ticks(4)
        .filter(Number.isInteger)
        .map((tick) => (
          <g key={tick}>
            <line x1={MARGIN.left} x2={WIDTH - MARGIN.right} y1={y(tick)} y2={y(tick)} />
            <text x={MARGIN.left - 6} y={y(tick) + 4} textAnchor="end">
              {tick.toLocaleString()}
            </text>
          </g>
        ))}
      {bars.map(({ time, outcomes }, index) => {
        let base = 0;
        return (
          <g key={time}>
            {OUTCOME_NAMES.map((name) => {
              const from = base;
              base += outcomes[name];
              return (
                outcomes[name] > 0 && (
                  <rect
                    key={name}
                    className={name}
                    x={x(time)}
                    width={x.bandwidth()}
                    y={y(base)}
                    height={y(from) - y(base)}
                  />
                )
              );
            })}
            {index % every === 0 && (
              <text x={x(time)} y={HEIGHT - 6}>
                {format.format(time)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
};
