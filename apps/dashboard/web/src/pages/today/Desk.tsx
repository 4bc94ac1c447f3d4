import { Link } from '@tanstack/react-router';
import { ChevronRight, CircleDashed, TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from 'react-aria-components';
import { timeText } from '../../clinics/zone.ts';
import { useNow } from '../../components/texts/now.ts';
import { countText, nounAfter } from '../../components/texts/numbers.ts';
import { relativeText } from '../../components/texts/relative.ts';
import { exactText } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import type { Texts } from './AppointmentCard.tsx';
import { AppointmentLink } from './AppointmentLink.tsx';
import { nextFree, type RequestProblem, requestsOf } from './columns.ts';
import { columnText } from './DayGrid.tsx';
import { MAX_LATER } from './requests.ts';
import type { ShownDay } from './use-day.ts';
import { lengthText, startText, takenText } from './words.ts';
import './Desk.css';

/** The number of free times that are listed. */
const FREE_TIMES = 3;

const problemText = (problem: RequestProblem, { nameOf, clinicOf }: Texts): string => {
  if (problem.is === 'no provider') return 'No provider yet';
  return `Overlaps ${problem.is === 'overlap' ? nameOf(problem.other.appointment) : takenText(problem.taken, clinicOf).toLowerCase()}`;
};

const Requests = ({ day, texts, isToday }: { day: ShownDay; texts: Texts; isToday: boolean }) => {
  const now = useNow();
  return (
    <ol>
      {requestsOf(day.parts).map(({ request: { appointment }, problems }) => {
        const procedures = texts.proceduresOf(appointment);
        return (
          <li key={appointment._id}>
            <p>
              <AppointmentLink id={appointment._id} name={texts.nameOf(appointment)} isCut />
              <time dateTime={appointment.createdTime} {...tip(exactText(appointment.createdTime))}>
                {relativeText(Date.parse(appointment.createdTime), now)}
              </time>
            </p>
            {isToday && 'Today '}
            {startText(appointment, texts.day, texts.timeZone)}
            {procedures !== '' && `, ${procedures}`}
            {problems.map((problem) => (
              <span key={problem.is} className="trouble">
                <TriangleAlert aria-hidden="true" />
                {problemText(problem, texts)}
              </span>
            ))}
          </li>
        );
      })}
    </ol>
  );
};

const NextFree = ({ day, texts }: { day: ShownDay; texts: Texts }) => {
  const now = useNow();
  const free = nextFree(day.columns, { now, minMinutes: day.slotMinutes, count: FREE_TIMES });
  if (free.length === 0) return <p className="quiet small">No free time on this day.</p>;
  return (
    <ol>
      {free.map((each) => (
        <li key={`${each.start} ${each.owner.is === 'provider' && each.owner._id}`}>
          <span className="strong">
            {timeText(each.start, texts.timeZone)}, {lengthText(each)}
          </span>
          {each.owner.is === 'provider' && <span>{columnText(each.owner, texts)}</span>}
        </li>
      ))}
    </ol>
  );
};

/** What somebody at the desk decides next: the requests of the day, and the next free times. A phone shows one line of it. */
export const Desk = ({
  day,
  clinicId,
  texts,
  isToday,
}: {
  day: ShownDay;
  clinicId: string;
  texts: Texts;
  isToday: boolean;
}) => {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const now = useNow();
  const { later, parts, axis } = day;
  const count = requestsOf(parts).length;
  const title =
    count === 0 ? 'No requests to confirm' : `${countText(count)} ${nounAfter(count, 'request')} to confirm`;
  return (
    <aside className="desk" aria-label="At the desk">
      <h2 className={count === 0 ? 'none' : undefined}>
        <CircleDashed aria-hidden="true" />
        <span className="wide">{title}</span>
        <Button className="narrow" aria-expanded={isOpen} aria-controls={id} onPress={() => setOpen(!isOpen)}>
          {title}
          <ChevronRight aria-hidden="true" />
        </Button>
      </h2>
      <div id={id} className={isOpen ? 'open' : undefined}>
        {count > 0 && <Requests day={day} texts={texts} isToday={isToday} />}
        {later > 0 && (
          <p className="small">
            <Link
              to="/records/$kind"
              params={{ kind: 'appointments' }}
              search={{ clinicId, status: 'REQUESTED', startTime: new Date(day.end).toISOString() }}
            >
              {countText(later)}
              {later === MAX_LATER && ' or more'}
              {count > 0 && ' more'} on later days
            </Link>
          </p>
        )}
        {parts.openings !== undefined && axis.end > now && (
          <section aria-labelledby={`${id}-free`}>
            <h2 id={`${id}-free`}>Next free</h2>
            <NextFree day={day} texts={texts} />
          </section>
        )}
      </div>
    </aside>
  );
};
