/** A line of a plot. All values are positive. */
export type Series = { name: string; points: readonly { x: number; y: number }[] };

const [WIDTH, HEIGHT] = [640, 360];
const MARGIN = { left: 64, right: 56, top: 16, bottom: 48 };
/** Colours that differ on white and on black, and for people who see no red or green. */
const COLOURS = ['#3b82f6', '#e07a1f', '#8b5cf6'];

/** The ticks of an axis for these values: powers of ten, and two and five times these powers. */
const ticksFor = (values: readonly number[]): number[] => {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const all = Array.from({ length: 12 }, (_, power) => 10 ** (power - 4)).flatMap((ten) =>
    [1, 2, 5].map((factor) => Number((factor * ten).toPrecision(1))),
  );
  const first = all.findLastIndex((tick) => tick <= lowest);
  const last = all.findIndex((tick) => tick >= highest);
  return all.slice(Math.max(0, first), last + 1);
};

/**
 * Draws lines with logarithmic axes as SVG. It is readable on light and dark pages.
 *
 * @param labels the names of the axes
 */
export const plot = (series: readonly Series[], labels: { x: string; y: string }): string => {
  const points = series.flatMap((line) => line.points);
  const [xTicks, yTicks] = [ticksFor(points.map(({ x }) => x)), ticksFor(points.map(({ y }) => y))];
  const scale = (ticks: readonly number[], from: number, to: number) => (value: number) => {
    const [low, high] = [Math.log(ticks[0] as number), Math.log(ticks.at(-1) as number)];
    return Math.round((from + ((Math.log(value) - low) / (high - low)) * (to - from)) * 10) / 10;
  };
  const x = scale(xTicks, MARGIN.left, WIDTH - MARGIN.right);
  const y = scale(yTicks, HEIGHT - MARGIN.bottom, MARGIN.top);
  const [right, bottom] = [WIDTH - MARGIN.right, HEIGHT - MARGIN.bottom];
  const grid = [
    ...xTicks.map((tick) => `<path d="M${x(tick)} ${MARGIN.top}V${bottom}"/>`),
    ...yTicks.map((tick) => `<path d="M${MARGIN.left} ${y(tick)}H${right}"/>`),
  ];
  const numbers = [
    ...xTicks.map((tick) => `<text x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${tick}</text>`),
    ...yTicks.map(
      (tick) => `<text x="${MARGIN.left - 8}" y="${y(tick) + 4}" text-anchor="end">${tick}</text>`,
    ),
    `<text x="${(MARGIN.left + right) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${labels.x}</text>`,
    `<text transform="translate(16 ${(MARGIN.top + bottom) / 2}) rotate(-90)" text-anchor="middle">${labels.y}</text>`,
  ];
  const lines = series.map(({ name, points: all }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const path = all.map((point) => `${x(point.x)} ${y(point.y)}`).join('L');
    const end = all.at(-1) ?? { x: 1, y: 1 };
    const dots = all.map((point) => `<circle cx="${x(point.x)}" cy="${y(point.y)}" r="3" fill="${colour}"/>`);
    return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}<text x="${x(end.x) + 8}" y="${y(end.y) + 4}" fill="${colour}">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${labels.y}, by ${labels.x}" font-family="sans-serif" font-size="12">
<g stroke="#808080" stroke-opacity="0.3">${grid.join('')}</g>
<g fill="#808080">${numbers.join('')}</g>
${lines.join('\n')}
</svg>
`;
};
