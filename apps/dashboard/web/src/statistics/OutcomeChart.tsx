import { OUTCOMES } from '@chairside/client/words';
import { nice, ticks } from 'd3-array';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { countText } from '../components/texts/numbers.ts';
import { type Bar, highestOf, OUTCOME_NAMES, type Outcomes, STACK } from './hours.ts';
import './OutcomeChart.css';

const HEIGHT = 180;
const MARGIN = { top: 8, right: 4, bottom: 22, left: 44 };
/** About this many numbers are on the axis. */
const TICKS = 4;
/** The part of the width of a bar that is empty. */
const GAP = 0.15;
/** The width of a chart before it is measured, in pixels. */
const FIRST_WIDTH = 720;

/** The width of an element, in pixels. The chart is drawn for it, so that its text keeps its size. */
const useWidth = () => {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(200, Math.round(entry.contentRect.width)));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return { element, width };
};

/** The values of a bar. */
const Values = ({ bar, title }: { bar: Bar; title: string }) => (
  <>
    <b>{title}</b>
    {OUTCOME_NAMES.map((name) => (
      <span key={name}>
        <svg viewBox="0 0 10 10" aria-hidden="true">
          <rect className={name} width="10" height="10" rx="2" />
        </svg>
        {OUTCOMES[name]} {countText(bar.outcomes[name])}
      </span>
    ))}
  </>
);

/** The colours with the totals. */
const Legend = ({ total }: { total: Outcomes }) => (
  <ul className="legend">
    {OUTCOME_NAMES.map((name) => (
      <li key={name}>
        <svg viewBox="0 0 10 10" aria-hidden="true">
          <rect className={name} width="10" height="10" rx="2" />
        </svg>
        {OUTCOMES[name]} <b>{countText(total[name])}</b>
      </li>
    ))}
  </ul>
);

/**
 * Bars of outcomes over time with a legend. The values of a bar are shown while the pointer is on it or, with the arrow
 * keys, while the chart has the focus; Enter or a press opens what the bar counts. A table beside the chart has the same
 * values.
 *
 * @param props.highest what the axis must have room for; charts that are compared have the same
 */
export const OutcomeChart = ({
  bars,
  total,
  format,
  label,
  highest = highestOf(bars),
  onOpen,
}: {
  bars: readonly Bar[];
  total: Outcomes;
  format: Intl.DateTimeFormat;
  label: string;
  highest?: number;
  onOpen?: (bar: Bar) => void;
}) => {
  const { element, width } = useWidth();
  const [at, setAt] = useState<number>();
  const top = nice(0, Math.max(1, highest), TICKS)[1];
  const step = (width - MARGIN.left - MARGIN.right) / Math.max(1, bars.length);
  const thickness = step * (1 - GAP);
  const x = (index: number): number => MARGIN.left + step * (index + GAP / 2);
  const y = (count: number): number =>
    HEIGHT - MARGIN.bottom - (count / top) * (HEIGHT - MARGIN.bottom - MARGIN.top);
  const every = Math.ceil(bars.length / Math.max(2, Math.floor(width / 110)));
  const shown = at === undefined ? undefined : bars[at];
  const move = ({ key, preventDefault }: { key: string; preventDefault(): void }) => {
    const current = at ?? bars.length;
    const moves: Record<string, number> = {
      ArrowLeft: Math.max(0, current - 1),
      ArrowRight: Math.min(bars.length - 1, current + 1),
      Home: 0,
      End: bars.length - 1,
    };
    const next = moves[key];
    if (next !== undefined) {
      preventDefault();
      setAt(next);
    }
    if (key === 'Enter' && shown !== undefined) onOpen?.(shown);
    if (key === 'Escape') setAt(undefined);
  };
  return (
    <div className="outcome-chart">
      <Legend total={total} />
      <div
        ref={element}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={at ?? bars.length - 1}
        aria-valuetext={
          shown === undefined
            ? 'Arrow keys show the values'
            : `${format.format(shown.time)}: ${OUTCOME_NAMES.map((name) => `${OUTCOMES[name]} ${shown.outcomes[name]}`).join(', ')}`
        }
        onKeyDown={(event: KeyboardEvent) =>
          move({ key: event.key, preventDefault: () => event.preventDefault() })
        }
        onBlur={() => setAt(undefined)}
        onPointerLeave={() => setAt(undefined)}
      >
        <svg className="chart" viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
          {/* The axis shows whole numbers only, because it counts deliveries. */}
          {ticks(0, top, TICKS)
            .filter(Number.isInteger)
            .map((tick) => (
              <g key={tick}>
                <line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
                <text x={MARGIN.left - 6} y={y(tick) + 4} textAnchor="end">
                  {countText(tick)}
                </text>
              </g>
            ))}
          {bars.map(({ time, outcomes }, index) => {
            let base = 0;
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: keys do the same on the chart
              <g
                key={time}
                className={index === at ? 'bar on' : 'bar'}
                onPointerEnter={() => setAt(index)}
                onPointerDown={() => setAt(index)}
                onClick={() => onOpen?.({ time, outcomes })}
              >
                <rect
                  className="ground"
                  x={MARGIN.left + step * index}
                  width={step}
                  y={MARGIN.top}
                  height={HEIGHT - MARGIN.bottom - MARGIN.top}
                />
                {STACK.map((name) => {
                  const from = base;
                  base += outcomes[name];
                  return (
                    outcomes[name] > 0 && (
                      <rect
                        key={name}
                        className={name}
                        x={x(index)}
                        width={thickness}
                        y={y(base)}
                        height={y(from) - y(base)}
                      />
                    )
                  );
                })}
                {index % every === 0 && (
                  <text x={x(index)} y={HEIGHT - 6}>
                    {format.format(time)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
      {/* The line is kept free, so that nothing moves when values appear. */}
      <p className="values" aria-hidden="true">
        {shown !== undefined && <Values bar={shown} title={format.format(shown.time)} />}
      </p>
    </div>
  );
};
