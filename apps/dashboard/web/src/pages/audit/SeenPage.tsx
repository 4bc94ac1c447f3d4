import type { AuditEntry } from '@chairside/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ChevronRight, Download } from 'lucide-react';
import { Button } from 'react-aria-components';
import { Face } from '../../audit/Face.tsx';
import { reasonOf, stateOf, verbOf } from '../../audit/words.ts';
import { Segments } from '../../components/forms/Segments.tsx';
import { lastDays, lastMonths, type Period } from '../../components/lists/periods.ts';
import { rangeText, TimeRange } from '../../components/lists/TimeRange.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { RefreshButton } from '../../components/states/RefreshButton.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { Chip } from '../../components/texts/Chip.tsx';
import { useNow } from '../../components/texts/now.ts';
import { countText, nounAfter } from '../../components/texts/numbers.ts';
import { Time } from '../../components/texts/Time.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
import { type Principals, principalOf, usePrincipals } from '../../principals/names.ts';
import { recordQuery } from '../../records/record.ts';
import { downloadEntries, seenQuery } from './requests.ts';
import type { SeenSearch } from './search.ts';
import { type Look, type Seen, seenOf, type Viewer } from './seen.ts';
import './SeenPage.css';

const NONE = '';

/** The periods to choose from: days, months, and any other range. */
const PeriodFilter = ({ value, onChange }: { value: SeenSearch; onChange(period: SeenSearch): void }) => {
  const now = new Date(useNow());
  const [days, months] = [lastDays(now), lastMonths(now)];
  const nameIn = (periods: typeof days) =>
    periods.find(({ period }) => period.since === value.since && period.until === value.until)?.name ?? NONE;
  const choicesOf = (periods: typeof days) => periods.map(({ name }) => ({ value: name, label: name }));
  const choose = (periods: typeof days) => (name: string) => {
    const chosen: Period | undefined = periods.find((each) => each.name === name)?.period;
    if (chosen !== undefined) onChange({ since: chosen.since, until: chosen.until });
  };
  return (
    <div className="filters periods">
      <Segments label="Days" value={nameIn(days)} choices={choicesOf(days)} onChange={choose(days)} />
      <Segments label="Months" value={nameIn(months)} choices={choicesOf(months)} onChange={choose(months)} />
      <TimeRange label="Period" value={value} onChange={onChange} />
    </div>
  );
};

const isPerson = ({ looks }: Viewer): boolean => looks[0].entries[0].principal.kind === 'operator';

/** The answer to the question of the page. */
const Answer = ({ opened, listed }: Seen) => {
  const people = opened.filter(isPerson).length;
  const programs = opened.length - people;
  const lists = listed.reduce((sum, { times }) => sum + times, 0);
  const who = [
    people > 0 && `${countText(people)} ${people === 1 ? 'person' : 'people'}`,
    programs > 0 && `${countText(programs)} ${nounAfter(programs, 'program')}`,
  ].filter((text) => text !== false);
  return (
    <p className="seen-answer" role="status">
      {who.length === 0 ? 'Opened by nobody' : `Opened by ${who.join(' and ')}`}
      {lists > 0 && `, shown in ${countText(lists)} ${nounAfter(lists, 'list')}`}.
    </p>
  );
};

/** What somebody did in one look, in words. */
const lookText = ({ entries }: Look): string => {
  const [first] = entries;
  const others = first.ids.length - 1;
  if (first.action === 'listed')
    return others > 0 ? `in a list with ${countText(others)} ${nounAfter(others, 'other')}` : 'in a list';
  return [...new Set(entries.map((entry) => `${verbOf(entry)} the patient`))].reverse().join(', ');
};

const LookRow = ({ look }: { look: Look }) => {
  const [first] = look.entries;
  const { count = 1 } = first;
  const [state, reason] = [stateOf(first.result), reasonOf(first)];
  return (
    <li>
      <span>
        {state !== undefined && <Chip tone="warning">{state}</Chip>} {lookText(look)}
        {count > 1 && `, ${countText(count)} times`}
        {reason !== undefined && <span className="quiet">: {visibleText(reason)}</span>}
      </span>
      <Link to="/audit" search={{ requestId: first.requestId }}>
        <Time value={first.time} exactly />
      </Link>
    </li>
  );
};

const PRINCIPALS: Readonly<Record<AuditEntry['principal']['kind'], string>> = {
  operator: 'Operator',
  apiKey: 'API key',
  programToken: 'Program token',
  app: 'Connected app',
  system: 'The service',
  unknown: 'Not signed in',
};

const timesText = (times: number): string => (times === 1 ? 'once' : `${countText(times)} times`);

const ViewerRow = ({ viewer: { looks, times }, principals }: { viewer: Viewer; principals: Principals }) => {
  const entry = looks[0].entries[0];
  const name = visibleText(principalOf(entry, principals));
  return (
    <details className="viewer">
      <summary>
        <ChevronRight aria-hidden="true" />
        <Face entry={entry} name={name} />
        <span className="viewer-name">
          <span className="strong">{name}</span>
          <span className="quiet small">{PRINCIPALS[entry.principal.kind]}</span>
        </span>
        <span className="viewer-times">{timesText(times)}</span>
        <Time value={entry.time} exactly />
      </summary>
      <ol>
        {looks.map((look) => (
          <LookRow key={look.entries[0]._id} look={look} />
        ))}
      </ol>
    </details>
  );
};

const Part = ({
  title,
  note,
  viewers,
  principals,
}: {
  title: string;
  note: string;
  viewers: readonly Viewer[];
  principals: Principals;
}) => {
  const id = title.replaceAll(' ', '-').toLowerCase();
  if (viewers.length === 0) return null;
  return (
    <section aria-labelledby={id} className="part">
      <header>
        <h2 id={id}>
          {title} <span className="quiet small">{note}</span>
        </h2>
      </header>
      <div className="viewers">
        {viewers.map((viewer) => (
          <ViewerRow key={viewer.key} viewer={viewer} principals={principals} />
        ))}
      </div>
    </section>
  );
};

const sum = (viewers: readonly Viewer[]): string =>
  timesText(viewers.reduce((total, { times }) => total + times, 0));

const Seers = ({ seen, principals }: { seen: Seen; principals: Principals }) => (
  <>
    <Answer {...seen} />
    <Part title="Opened" note={sum(seen.opened)} viewers={seen.opened} principals={principals} />
    <Part
      title="Shown in lists"
      note={`${sum(seen.listed)}, the name among others`}
      viewers={seen.listed}
      principals={principals}
    />
    <Part title="Changed, or tried" note={sum(seen.others)} viewers={seen.others} principals={principals} />
    <p className="seen-note quiet small">One opening is one row, however many requests it needs.</p>
  </>
);

/** Who has opened a patient, and to whom lists have shown the patient: by person and program, in a period. */
export const SeenPage = () => {
  const { recordId } = useParams({ from: '/signed-in/records/patients/$recordId/seen' });
  const navigate = useNavigate({ from: '/records/patients/$recordId/seen' });
  const given = useSearch({ from: '/signed-in/records/patients/$recordId/seen' });
  const [, , lastMonth] = lastDays(new Date(useNow()));
  const period: SeenSearch =
    given.since === undefined && given.until === undefined ? { ...lastMonth?.period } : given;
  const filter = { recordId, ...period };
  const query = useQuery(seenQuery(filter));
  const { principals, isPending } = usePrincipals();
  const { data: record } = useQuery({ ...recordQuery('patients', recordId), enabled: false });
  const download = useMutation({ mutationFn: () => downloadEntries(filter) });
  const name = typeof record?.name === 'string' ? visibleText(record.name) : undefined;
  const { data } = query;
  return (
    <>
      <PageHeading
        back={{ to: `/records/patients/${recordId}`, name: 'Patient' }}
        note={name === undefined ? 'A patient of your practice' : <bdi>{name}</bdi>}
        actions={
          <>
            <RefreshButton query={query} />
            <Button isPending={download.isPending} onPress={() => download.mutate()}>
              <Download aria-hidden="true" />
              Download CSV
            </Button>
          </>
        }
      >
        Who has seen this?
      </PageHeading>
      <PeriodFilter
        value={period}
        onChange={({ since, until }) => void navigate({ search: { since, until } })}
      />
      <p className="on-paper small">Period: {rangeText(period)}</p>
      <Problem error={query.error ?? download.error} again={query.refetch} />
      {data?.isCut === true && (
        <Note tone="warning">
          <p>
            More was done in this time than a page shows: the earliest is left out. Choose a shorter period.
          </p>
        </Note>
      )}
      {data === undefined || isPending ? (
        query.error === null && <Waiting of="audit entries" />
      ) : data.entries.length === 0 ? (
        <Empty isFiltered title="Nobody has seen this patient in this time.">
          <p>Choose a longer period.</p>
        </Empty>
      ) : (
        <Seers seen={seenOf(data.entries)} principals={principals} />
      )}
    </>
  );
};
