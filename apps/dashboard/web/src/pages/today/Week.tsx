import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Button } from 'react-aria-components';
import { type Day, dayAfter } from '../../clinics/days.ts';
import { tip } from '../../components/texts/tip.ts';
import { closureOf, type Opening } from './opening.ts';
import { dateText, dayText } from './words.ts';
import './Week.css';

/**
 * The days of a week, with the closed ones struck through. The arrow keys lead to the next day and the day before while the
 * focus is inside.
 *
 * @param props.opening undefined until it is read
 * @param props.children what follows in the line
 */
export const Week = ({
  day,
  monday,
  opening,
  isToday,
  onToday,
  children,
}: {
  day: Day;
  monday: Day;
  opening: Opening | undefined;
  isToday: boolean;
  onToday(): void;
  children: ReactNode;
}) => {
  const navigate = useNavigate({ from: '/today' });
  const list = useRef<HTMLOListElement>(null);
  const follows = useRef(false);
  const show = (other: Day) => void navigate({ search: (kept) => ({ ...kept, day: other }) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows to another day
  useEffect(() => {
    if (follows.current) list.current?.querySelector<HTMLElement>('[aria-current]')?.focus();
    follows.current = false;
  }, [day]);
  const onKeyDown = ({ key, target, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent) => {
    if (altKey || ctrlKey || metaKey || shiftKey || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return;
    follows.current = list.current?.contains(target as Element) === true;
    show(dayAfter(day, key === 'ArrowLeft' ? -1 : 1));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are an addition to the links and buttons
    <div className="week" onKeyDown={onKeyDown}>
      <Button className="icon" aria-label="Previous week" onPress={() => show(dayAfter(day, -7))}>
        <ArrowLeft aria-hidden="true" />
      </Button>
      <Button className={isToday ? 'compact here' : 'compact'} aria-keyshortcuts="T" onPress={onToday}>
        Today
      </Button>
      <Button className="icon" aria-label="Next week" onPress={() => show(dayAfter(day, 7))}>
        <ArrowRight aria-hidden="true" />
      </Button>
      <ol ref={list} aria-label="Days">
        {[0, 1, 2, 3, 4, 5, 6].map((index) => {
          const each = dayAfter(monday, index);
          const isClosed = opening !== undefined && closureOf(opening, each) !== undefined;
          return (
            <li key={index}>
              <Link
                to="/today"
                search={(kept) => ({ ...kept, day: each })}
                className={isClosed ? 'closed' : undefined}
                aria-current={each === day ? 'date' : undefined}
                activeProps={{}}
                {...(isClosed && tip('Closed'))}
              >
                {dayText(each, 'shortWeekday')} <b>{dateText(each)}</b>
                {isClosed && <span className="hidden">, closed</span>}
              </Link>
            </li>
          );
        })}
      </ol>
      {children}
    </div>
  );
};
