import { Link } from '@tanstack/react-router';
import { Coffee, Lock } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { remember, remembered } from '../../clinics/remembered.ts';
import { timeText } from '../../clinics/zone.ts';
import { useNow } from '../../components/texts/now.ts';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { AppointmentCard, type Texts } from './AppointmentCard.tsx';
import { type Axis, minutesOn } from './axis.ts';
import { type Column, hasRoom, type Item } from './columns.ts';
import { placed } from './place.ts';
import { canceledId, stopAfter, stopsOf } from './stops.ts';
import { lengthText, patientsText, takenText } from './words.ts';
import './DayGrid.css';

/** More columns than these have no dots on a phone, but a list to choose from. */
const MAX_DOTS = 6;
/** The part of the window above the now-line when the page opens. */
const ABOVE_NOW = 1 / 3;

const NO_PROVIDER = 'none';

const idOf = ({ owner }: Column): string => (owner.is === 'provider' ? owner._id : NO_PROVIDER);

/** What a column is called. */
export const columnText = (owner: Column['owner'], { providerOf }: Pick<Texts, 'providerOf'>): string => {
  if (owner.is === 'all') return 'All appointments';
  return owner.is === 'none' ? 'No provider' : visibleText(owner.name ?? providerOf(owner._id));
};

type GroundItem = Exclude<Item, { is: 'card' }>;

/** What a free, taken or closed time says. */
const Ground = ({ item, texts, stop }: { item: GroundItem; texts: Texts; stop: string | undefined }) => {
  const { timeZone, clinicOf, nameOf } = texts;
  const text = hasRoom(item) ? undefined : 'hidden';
  if (item.is === 'free')
    return (
      <>
        <span className={text}>{lengthText(item)} free</span>
        {item.canceled.length > 0 && (
          <span className="clip">
            {item.canceled.map(({ appointment }, index) => {
              const id = canceledId(appointment._id, item.start);
              return (
                <span key={id}>
                  {index > 0 && ', '}
                  <Link
                    to="/records/$kind/$recordId"
                    params={{ kind: 'appointments', recordId: appointment._id }}
                    data-stop={id}
                    tabIndex={id === stop ? 0 : -1}
                  >
                    <bdi>{nameOf(appointment)}</bdi>
                  </Link>
                </span>
              );
            })}{' '}
            canceled
          </span>
        )}
      </>
    );
  if (item.is === 'taken') {
    const Icon = item.taken.kind === 'BREAK' ? Coffee : Lock;
    return (
      <>
        {hasRoom(item) && <Icon aria-hidden="true" />}
        <span className={text}>{visibleText(takenText(item.taken, clinicOf))}</span>
      </>
    );
  }
  if (item.is === 'full') return <span className={text}>no chair free</span>;
  return (
    <span className={text}>
      {item.edge === undefined ? 'closed' : `${item.edge.word} at ${timeText(item.edge.at, timeZone)}`}
    </span>
  );
};

const classOf = (item: GroundItem, axis: Axis, now: number): string => {
  if (item.is === 'free') return `free${item.end <= now ? ' gone' : ''}${hasRoom(item, 2) ? '' : ' low'}`;
  if (item.is === 'closed' && item.start === axis.start) return 'closed first';
  return item.is;
};

const ColumnItems = ({
  column,
  axis,
  ...props
}: {
  column: Column;
  axis: Axis;
  texts: Texts;
  now: number;
  stop: string | undefined;
}) =>
  column.items.map((item) => {
    if (item.is === 'card')
      return <AppointmentCard key={item.appointment._id} card={item} axis={axis} {...props} />;
    return (
      <li
        key={`${item.is} ${item.start}`}
        className={classOf(item, axis, props.now)}
        ref={placed(minutesOn(axis, item.start), (item.end - item.start) / 60_000)}
      >
        <Ground item={item} texts={props.texts} stop={props.stop} />
      </li>
    );
  });

/** The time now, as a line across all columns. It lies a third below the top of the window when the page opens. */
const NowLine = ({ axis, now, timeZone }: { axis: Axis; now: number; timeZone: string | undefined }) => {
  const line = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => placed(minutesOn(axis, now))(line.current), [axis, now]);
  useEffect(() => {
    // The router sets the position of a page that was left before, or the top of a new one, first.
    const frame = requestAnimationFrame(() => {
      const top = line.current?.getBoundingClientRect().top ?? 0;
      if (scrollY === 0 && top > innerHeight * ABOVE_NOW) scrollTo({ top: top - innerHeight * ABOVE_NOW });
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <p ref={line} className="now-line" aria-hidden="true">
      <span>{timeText(now, timeZone)}</span>
    </p>
  );
};

/** Follows the swipes of a phone, which shows one column, and the wide grid that scrolls below its heads. */
const useScroll = (columns: readonly Column[]) => {
  const head = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLElement>(null);
  const [shown, setShown] = useState(0);
  const widthOf = (element: HTMLElement): number => element.firstElementChild?.clientWidth ?? 1;
  const isSingle = (element: HTMLElement): boolean => widthOf(element) >= element.clientWidth - 2;
  const show = (index: number) => {
    const element = body.current;
    if (element !== null) element.scrollLeft = index * element.clientWidth;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first columns are shown as remembered
  useLayoutEffect(() => {
    const index = columns.findIndex((column) => idOf(column) === remembered('provider'));
    if (index > 0 && body.current !== null && isSingle(body.current)) show(index);
  }, []);
  const onScroll = () => {
    const element = body.current;
    if (element === null || head.current === null) return;
    head.current.scrollLeft = element.scrollLeft;
    const index = Math.round(element.scrollLeft / element.clientWidth);
    const column = columns[index];
    if (!isSingle(element) || index === shown || column === undefined) return;
    setShown(index);
    remember('provider', idOf(column));
  };
  return { head, body, shown, show, onScroll };
};

/** The choice of the column that a phone shows. */
const ColumnChoice = ({
  names,
  shown,
  onChoose,
}: {
  names: readonly string[];
  shown: number;
  onChoose(index: number): void;
}) => {
  if (names.length < 2) return null;
  if (names.length > MAX_DOTS)
    return (
      <select
        className="choice"
        aria-label="Provider"
        value={shown}
        onChange={({ target }) => onChoose(Number(target.value))}
      >
        {names.map((name, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is the value
          <option key={index} value={index}>
            {name}
          </option>
        ))}
      </select>
    );
  return (
    <fieldset className="choice">
      <legend className="hidden">Provider</legend>
      {names.map((name, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns have no other order
          key={index}
          type="button"
          aria-label={name}
          aria-pressed={index === shown}
          onClick={() => onChoose(index)}
        />
      ))}
    </fieldset>
  );
};

const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];

/** The grid is one stop of Tab. The arrow keys lead from one appointment to the next. */
const useStops = (columns: readonly Column[], now: number) => {
  const stops = useMemo(() => stopsOf(columns), [columns]);
  const [chosen, setChosen] = useState<string>();
  const isChosen = stops.some(({ id }) => id === chosen);
  const stop = isChosen ? chosen : (stops.find(({ at }) => at >= now) ?? stops[0])?.id;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, altKey, ctrlKey, metaKey, shiftKey, target, currentTarget } = event;
    if (altKey || ctrlKey || metaKey || shiftKey || !ARROWS.includes(key)) return;
    const from = stops.findIndex(({ id }) => id === (target as HTMLElement).dataset.stop);
    if (from === -1) return;
    event.preventDefault();
    const next = stops[stopAfter(stops, from, key)]?.id ?? '';
    currentTarget.querySelector<HTMLElement>(`[data-stop="${CSS.escape(next)}"]`)?.focus();
  };
  const onFocus = ({ target }: { target: EventTarget & Element }) =>
    setChosen((before) => (target as HTMLElement).dataset.stop ?? before);
  return { stop, onKeyDown, onFocus };
};

/** The frame of the grid: a head for each column. */
const Frame = ({
  heads,
  choice,
  refs,
  children,
}: {
  heads: readonly { id: string; name: string; note: string }[];
  choice?: ReactNode;
  refs?: Ref<HTMLDivElement>;
  children: ReactNode;
}) => (
  <div className="day-grid">
    <div className="heads">
      <span />
      <div ref={refs} className="columns">
        {heads.map(({ id, name, note }) => (
          <div key={id}>
            <h2 className="clip" id={`column-${id}`} {...tip(name)}>
              {name}
            </h2>
            <p className="clip" {...tip(note)}>
              {note}
            </p>
          </div>
        ))}
      </div>
      {choice}
    </div>
    <div className="body">{children}</div>
  </div>
);

/**
 * The day of a clinic: a column for each provider, with appointments, free times, blocks, and the time now.
 *
 * @param props.hours when the clinic is open, in words
 */
export const DayGrid = ({
  axis,
  columns,
  hours,
  texts,
  isToday,
}: {
  axis: Axis;
  columns: readonly Column[];
  hours: string | undefined;
  texts: Texts;
  isToday: boolean;
}) => {
  const now = useNow();
  const { head, body, shown, show, onScroll } = useScroll(columns);
  const { stop, onKeyDown, onFocus } = useStops(columns, now);
  const names = columns.map(({ owner }) => columnText(owner, texts));
  const heads = columns.map((column, index) => ({
    id: idOf(column),
    name: names[index] ?? '',
    note: [column.owner.is === 'none' ? undefined : hours, patientsText(column.patients)]
      .filter((each) => each !== undefined)
      .join(', '),
  }));
  return (
    <Frame heads={heads} refs={head} choice={<ColumnChoice names={names} shown={shown} onChoose={show} />}>
      <ol className="hours-axis" aria-hidden="true" ref={placed(0, (axis.end - axis.start) / 60_000)}>
        {axis.hours.map(({ at, text }) => (
          <li key={at} ref={placed(at)}>
            {text}
          </li>
        ))}
      </ol>
      <section
        ref={body}
        className="columns"
        aria-label="Appointments by provider"
        // Without appointments, the keyboard scrolls the columns themselves.
        tabIndex={stop === undefined ? 0 : undefined}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
      >
        {columns.map((column) => (
          <ol
            key={idOf(column)}
            className="day-column"
            aria-labelledby={`column-${idOf(column)}`}
            ref={placed(0, (axis.end - axis.start) / 60_000)}
          >
            <ColumnItems column={column} axis={axis} texts={texts} now={now} stop={stop} />
          </ol>
        ))}
      </section>
      {isToday && axis.start <= now && now < axis.end && (
        <NowLine axis={axis} now={now} timeZone={texts.timeZone} />
      )}
    </Frame>
  );
};

/** The grid while its day is read. */
export const EmptyGrid = ({ names }: { names: readonly string[] }) => {
  const heads = (names.length === 0 ? ['', '', ''] : names).map((name, index) => ({
    id: String(index),
    name,
    note: '',
  }));
  return (
    <Frame heads={heads}>
      <span />
      <div className="columns bones" aria-hidden="true">
        {heads.map(({ id }) => (
          <div key={id}>
            <span className="bone" />
            <span className="bone" />
            <span className="bone" />
          </div>
        ))}
      </div>
    </Frame>
  );
};
