import type { Clinic } from '@chairside/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copy, TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { problemOf, UnusableInput } from '../../api/problems.ts';
import { clinicsQuery } from '../../clinics/requests.ts';
import { DialogButton } from '../../components/dialogs/DialogButton.tsx';
import { DialogButtons, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Check, toggled } from '../../components/forms/Check.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Middle } from '../../components/texts/Middle.tsx';
import { countText, nounAfter } from '../../components/texts/numbers.ts';
import { isMac } from '../../components/undo/shortcuts.ts';
import { offerUndo } from '../../components/undo/undo.ts';
import {
  applyPlans,
  bookedAtQuery,
  type Outcome,
  readBookedAt,
  settingsQuery,
  type Target,
  undoApplied,
} from './apply-requests.ts';
import { comingDays, type Part, planOf, type Settings } from './applying.ts';
import { bookedText, dayOfBooked } from './BookedPatients.tsx';
import type { Booked } from './booked.ts';
import { dayText } from './hours.ts';
import './ApplyToClinics.css';

const nameOf = ({ name, _id }: Clinic): string => name ?? _id;
const clinicsText = (count: number): string => `${countText(count)} ${nounAfter(count, 'clinic')}`;

/** What was applied in words, such as `Applied to 9 clinics: 23 days added, hours changed in 6.` */
const doneText = ({ applied, changed, failure }: Outcome): string => {
  const days = applied.reduce((sum, { target }) => sum + target.plan.days, 0);
  const blocks = applied.reduce((sum, { blockIds }) => sum + blockIds.length, 0);
  const hours = applied.filter(({ saved }) => saved !== undefined).length;
  const facts = [
    days > 0 && `${countText(days)} ${nounAfter(days, 'day')} added or replaced`,
    hours > 0 && `settings of ${clinicsText(hours)} changed`,
    blocks > 0 && `${countText(blocks)} ${nounAfter(blocks, 'block')} added`,
  ].filter(Boolean);
  return [
    `Applied to ${clinicsText(applied.length)}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}.`,
    changed.length > 0 &&
      `Not to ${changed.map(nameOf).join(', ')}: somebody else has changed these hours in the meantime.`,
    failure !== undefined && `Then it ended: ${problemOf(failure).message}`,
  ]
    .filter(Boolean)
    .join(' ');
};

const lostText = ({ applied }: Outcome): string | undefined => {
  const first = applied.filter(
    ({ target, saved }) => saved !== undefined && target.settings.stored.hours === undefined,
  );
  return first.length === 0
    ? undefined
    : `Undo leaves the first hours of ${first.map(({ target }) => nameOf(target.settings.clinic)).join(', ')}.`;
};

/** Says who is booked in the times that close at a clinic, with a link to them. */
const BookedLine = ({ booked, clinic }: { booked: Booked; clinic: Clinic }) => {
  const { appointments } = booked;
  if (appointments.length === 0) return null;
  const day = dayOfBooked(booked, clinic.timezone);
  return (
    <Link
      className="warn"
      to="/records/$kind"
      params={{ kind: 'appointments' }}
      search={
        day === undefined
          ? {
              clinicId: clinic._id,
              startTime: appointments[0]?.startTime,
              endTime: appointments.at(-1)?.endTime,
            }
          : { clinicId: clinic._id, day }
      }
      target="_blank"
    >
      <TriangleAlert aria-hidden="true" />
      {bookedText(booked)} {day === undefined ? 'in times that close' : `on ${dayText(day)}`}
    </Link>
  );
};

/** What a row says instead of changes. */
const noteOf = ({ plan }: Target, isSource: boolean): string | undefined => {
  if (isSource) return 'The settings come from here';
  if (plan.obstacle !== undefined) return plan.obstacle;
  return plan.lines.length === 0 ? 'Nothing to change' : undefined;
};

const Row = ({
  clinic,
  target,
  isSource,
  isChosen,
  booked,
  onChoose,
}: {
  clinic: Clinic;
  /** Undefined while the settings are read. */
  target: Target | undefined;
  isSource: boolean;
  isChosen: boolean;
  booked: Booked | undefined;
  onChoose(isChosen: boolean): void;
}) => {
  const note = target && noteOf(target, isSource);
  const isOff = target === undefined || note !== undefined;
  return (
    <li className={isOff ? 'off' : undefined}>
      <Check isChecked={isChosen && !isOff} isDisabled={isOff} onChange={onChoose}>
        <Middle>{nameOf(clinic)}</Middle>
      </Check>
      <p>
        {target === undefined ? (
          <span className="bone middle" aria-hidden="true" />
        ) : (
          (note === undefined ? target.plan.lines : [note]).map((line) => <span key={line}>{line}</span>)
        )}
        {!isOff && booked !== undefined && <BookedLine booked={booked} clinic={clinic} />}
      </p>
    </li>
  );
};

const PARTS: Readonly<Record<Part, string>> = {
  hours: 'Opening hours',
  closed: 'Closed days',
  blocks: 'Blocks',
};

/** The settings to apply, and how many there are of each kind. */
const PartsField = ({
  source,
  value,
  onChange,
}: {
  source: Settings | undefined;
  value: readonly Part[];
  onChange(value: Part[]): void;
}) => {
  const counts: Readonly<Record<Part, number | undefined>> = {
    hours: undefined,
    closed: source && comingDays(source, Date.now()).length,
    blocks: source?.blocks.length,
  };
  return (
    <fieldset className="apply-parts" aria-label="What to apply">
      {(Object.keys(PARTS) as Part[]).map((part) => (
        <Check
          key={part}
          isChecked={value.includes(part)}
          isDisabled={part === 'hours' ? source?.stored.hours === undefined : counts[part] === 0}
          onChange={(isChosen) => onChange(toggled(value, part, isChosen))}
        >
          {PARTS[part]}{' '}
          {counts[part] !== undefined && <span className="quiet">{countText(counts[part])}</span>}
        </Check>
      ))}
    </fieldset>
  );
};

/** @throws {UnusableInput} if somebody was booked since the rows were shown */
const expectSeen = async (targets: readonly Target[], seen: ReadonlyMap<string, Booked>): Promise<void> => {
  const now = await readBookedAt(targets);
  for (const [clinicId, { appointments }] of now) {
    const known = new Set(seen.get(clinicId)?.appointments.map(({ _id }) => _id));
    if (appointments.some(({ _id }) => !known.has(_id)))
      throw new UnusableInput('Somebody was booked in the meantime: look at the list again.');
  }
};

const ApplyForm = ({
  source,
  first,
  clinics,
  onClose,
}: {
  source: Clinic;
  first: Part;
  clinics: readonly Clinic[];
  onClose(): void;
}) => {
  const queries = useQueryClient();
  const [chosenParts, setParts] = useState<Part[]>([first]);
  const [skipped, setSkipped] = useState<string[]>([]);
  const settings = useQuery(settingsQuery(clinics));
  const from = settings.data?.find(({ clinic }) => clinic._id === source._id);
  const parts = new Set(chosenParts);
  const targets =
    from &&
    settings.data?.map((each) => ({
      settings: each,
      plan: planOf(from, each, parts, settings.dataUpdatedAt),
    }));
  const possible = targets?.filter(
    (target) => noteOf(target, target.settings.clinic._id === source._id) === undefined,
  );
  const booked = useQuery(bookedAtQuery(possible, parts, settings.dataUpdatedAt));
  const chosen = possible?.filter(({ settings: { clinic } }) => !skipped.includes(clinic._id)) ?? [];
  const endangered = chosen.flatMap(
    ({ settings: { clinic } }) => booked.data?.get(clinic._id)?.appointments ?? [],
  );
  const isReady = booked.data !== undefined && !booked.isFetching;
  const chooseAll = (isChosen: boolean) => setSkipped(isChosen ? [] : clinics.map(({ _id }) => _id));

  const request = useMutation({
    async mutationFn() {
      try {
        await expectSeen(chosen, booked.data ?? new Map());
      } catch (error) {
        void booked.refetch();
        throw error;
      }
      const outcome = await applyPlans(chosen);
      const { applied, changed, failure } = outcome;
      await queries.invalidateQueries({ queryKey: ['schedule'] });
      if (applied.length === 0)
        throw (
          failure ??
          new UnusableInput(
            `Somebody else has changed the hours of ${changed.map(nameOf).join(', ')}: look at the list again.`,
          )
        );
      onClose();
      offerUndo({
        done: doneText(outcome),
        undone: 'The schedules of all clinics are as they were before.',
        lost: lostText(outcome),
        async undo() {
          try {
            await undoApplied(applied);
          } finally {
            await queries.invalidateQueries({ queryKey: ['schedule'] });
          }
        },
      });
    },
  });
  /** Ctrl-A chooses all clinics. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'a' || !(isMac ? event.metaKey : event.ctrlKey)) return;
    event.preventDefault();
    chooseAll(true);
  };
  const isSome = chosen.length > 0 && chosen.length < (possible?.length ?? 0);
  return (
    <ActionForm request={request} isReady={isReady && chosen.length > 0}>
      <p className="apply-from">
        From <b>{nameOf(source)}</b>
      </p>
      <PartsField source={from} value={chosenParts} onChange={setParts} />
      <Problem
        error={settings.error ?? booked.error}
        again={settings.error === null ? booked.refetch : settings.refetch}
      />
      <div className="apply-list">
        <div className="apply-head">
          <Check
            isChecked={chosen.length > 0}
            isSome={isSome}
            isDisabled={!possible?.length}
            onChange={chooseAll}
          >
            Clinic
          </Check>
          <span>What changes there</span>
        </div>
        <ul aria-label="Clinics" onKeyDown={onKeyDown}>
          {clinics.map((clinic) => (
            <Row
              key={clinic._id}
              clinic={clinic}
              target={targets?.find((each) => each.settings.clinic._id === clinic._id)}
              isSource={clinic._id === source._id}
              isChosen={!skipped.includes(clinic._id)}
              booked={booked.data?.get(clinic._id)}
              onChoose={(isChosen) => setSkipped(toggled(skipped, clinic._id, !isChosen))}
            />
          ))}
        </ul>
      </div>
      {/* The place is kept free, so that the buttons do not move. */}
      <p role="status" className="apply-warning">
        {endangered.length > 0 && (
          <>
            <TriangleAlert aria-hidden="true" />
            {countText(endangered.length)} {nounAfter(endangered.length, 'appointment')} in times that close.
            Nothing is canceled by itself.
          </>
        )}
      </p>
      <DialogButtons
        submit={isReady ? `Apply to ${clinicsText(chosen.length)}` : 'Comparing…'}
        isDisabled={!isReady || chosen.length === 0}
        onCancel={onClose}
      />
    </ActionForm>
  );
};

/**
 * Applies the hours, the closed days and the blocks of a clinic to others: shows what changes at each, and offers to undo it
 * at all of them at once. Nothing if there is only one clinic.
 *
 * @param props.part the settings that are chosen at first
 * @param props.isDisabled whether the settings of this clinic are not saved yet
 */
export const ApplyToClinics = ({
  source,
  part,
  isDisabled = false,
}: {
  source: Clinic;
  part: Part;
  isDisabled?: boolean;
}) => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  if (clinics.length < 2) return null;
  return (
    <DialogButton name="Apply to clinics…" icon={<Copy aria-hidden="true" />} isDisabled={isDisabled}>
      {(close) => (
        <PageDialog title="Apply to clinics" onClose={close}>
          <ApplyForm source={source} first={part} clinics={clinics} onClose={close} />
        </PageDialog>
      )}
    </DialogButton>
  );
};
