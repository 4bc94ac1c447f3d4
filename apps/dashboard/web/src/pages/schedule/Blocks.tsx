import type { CalendarBlock } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { api } from '../../api/client.ts';
import { BLOCK_KINDS } from '../../clinics/block-kinds.ts';
import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { localIn, momentOf } from '../../clinics/clock.ts';
import { clinicOf } from '../../clinics/remembered.ts';
import { clinicsQuery, useClinicChoices, useClinicZone, withNoClinic } from '../../clinics/requests.ts';
import { allProvidersQuery, WHOLE_CLINIC } from '../../clinics/settings.ts';
import { formatIn } from '../../clinics/zone.ts';
import { DialogButtons, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { type Choice, choicesOf, Select } from '../../components/forms/Field.tsx';
import { TimeField } from '../../components/forms/TimeField.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { TimeRange } from '../../components/lists/TimeRange.tsx';
import { Note } from '../../components/states/Note.tsx';
import { exactText } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { MINUTE } from '../../language.ts';
import { ApplyToClinics } from './ApplyToClinics.tsx';
import { useBookedQuestion } from './BookedPatients.tsx';
import { closingOfBlock } from './closing.ts';
import { nameOf } from './names.ts';
import { blocksQuery } from './requests.ts';
import { SettingList } from './SettingList.tsx';
import type { ScheduleSearch } from './search.ts';
import { DeleteSetting, useSave } from './setting-changes.tsx';
import { actionsColumn, textColumn } from './setting-columns.tsx';
import { TakenSlots } from './TakenSlots.tsx';

const KIND_CHOICES = choicesOf(BLOCK_KINDS);
const isKind = (value: string): value is CalendarBlock['kind'] => Object.hasOwn(BLOCK_KINDS, value);

/** The choice of no provider. */
const ALL = '';

const useProviderChoices = (): Choice[] => {
  const { data = [] } = useQuery(allProvidersQuery);
  return data.map(({ _id, name }) => ({ value: _id, label: name }));
};

const forText = (providerId: string | null | undefined, providers: readonly Choice[]): string =>
  providerId ? nameOf(providerId, providers) : WHOLE_CLINIC;

/** Browsers accept years that JavaScript cannot read. */
const isReadable = (local: string): boolean => !Number.isNaN(Date.parse(`${local}Z`));

/** What to know about a local time that the clocks skip, or show twice. */
const clockText = (local: string, timeZone: string | undefined): string => {
  if (!isReadable(local)) return '';
  const { time, fault } = momentOf(local, timeZone);
  if (fault === undefined) return '';
  const counted = localIn(time, timeZone).slice(11);
  return fault === 'skipped'
    ? `The clocks skip this time: ${counted} counts.`
    : 'The clocks show this time twice: the first counts.';
};

const instantOf = (local: string, timeZone: string | undefined): string =>
  isReadable(local) ? new Date(momentOf(local, timeZone).time).toISOString() : '';

/** A time as it is typed, with the stored time if it was not changed: a typed time can belong to two moments. */
const useLocalTime = (stored: string | undefined, timeZone: string | undefined) => {
  const before = stored === undefined ? '' : localIn(Date.parse(stored), timeZone);
  const [local, setLocal] = useState(before);
  const instant = stored !== undefined && local === before ? stored : instantOf(local, timeZone);
  return { local, setLocal, instant };
};

/** From when to when a block lasts, in the time zone of its clinic. */
const periodText = (
  { startTime, endTime }: Pick<CalendarBlock, 'startTime' | 'endTime'>,
  timeZone: string | undefined,
): string => {
  const [start, end] = [Date.parse(startTime), Date.parse(endTime)];
  if (!(start <= end)) return 'not complete';
  return (formatIn(timeZone, MINUTE) ?? formatIn(undefined, MINUTE))?.formatRange(start, end) ?? '';
};

/** @param props.first the clinic of a new block, unless another one is chosen */
const BlockForm = ({
  stored,
  first,
  onCreate,
  onClose,
}: {
  stored?: CalendarBlock;
  first?: string | undefined;
  onCreate?(created: CalendarBlock): void;
  onClose(): void;
}) => {
  const clinics = useClinicChoices();
  const { data: all = [] } = useQuery(clinicsQuery);
  const { data: providers = [] } = useQuery(allProvidersQuery);
  const [chosen, setChosen] = useState(stored?.clinicId ?? first);
  const clinicId = chosen ?? clinicOf(all, undefined)?._id ?? '';
  const [providerId, setProviderId] = useState(stored?.providerId ?? ALL);
  const [kind, setKind] = useState<CalendarBlock['kind']>(stored?.kind ?? 'CLOSED');
  const timeZone = useClinicZone(clinicId);
  const start = useLocalTime(stored?.startTime, timeZone);
  const end = useLocalTime(stored?.endTime, timeZone);
  const here = providers
    .filter((each) => each.clinicIds.includes(clinicId) || each._id === providerId)
    .map(({ _id, name }) => ({ value: _id, label: name }));
  const times = { startTime: start.instant, endTime: end.instant };
  const fields = { clinicId, providerId: providerId === ALL ? null : providerId, ...times, kind };
  const { ask, isChecking, dialog } = useBookedQuestion();
  const { request, versions } = useSave({
    of: 'block',
    records: api.calendarBlocks,
    stored,
    fields,
    linesOf: (version) => [
      `Clinic: ${nameOf(version.clinicId, clinics)}`,
      `For: ${forText(version.providerId, here)}`,
      `Kind: ${BLOCK_KINDS[version.kind]}`,
      `Time: ${periodText(version, timeZone)}`,
    ],
    confirm: () => ask(closingOfBlock(fields, stored, { now: Date.now() })),
    onCreate,
    onClose,
  });
  const submit = stored === undefined ? 'Create' : 'Save';
  return (
    <PageDialog title={stored === undefined ? 'New block' : 'Edit block'} onClose={onClose}>
      <ActionForm request={request}>
        {versions}
        <Select
          label="Clinic"
          name="clinicId"
          isRequired
          value={clinicId}
          choices={withNoClinic(clinics)}
          description={
            timeZone === undefined ? 'Times are in your zone.' : `Times are local times of ${timeZone}.`
          }
          onChange={(other) => {
            setChosen(other);
            setProviderId(ALL);
          }}
        />
        <div className="pair">
          <Select
            label="For"
            name="providerId"
            value={providerId}
            choices={[{ value: ALL, label: WHOLE_CLINIC }, ...here]}
            onChange={setProviderId}
          />
          <Select
            label="Kind"
            name="kind"
            value={kind}
            choices={KIND_CHOICES}
            onChange={(other) => isKind(other) && setKind(other)}
          />
          <TimeField
            label="Start"
            name="startTime"
            isRequired
            description={clockText(start.local, timeZone)}
            value={start.local}
            onChange={start.setLocal}
          />
          <TimeField
            label="End"
            name="endTime"
            isRequired
            description={clockText(end.local, timeZone)}
            value={end.local}
            onChange={end.setLocal}
          />
        </div>
        <TakenSlots block={fields} stored={stored} timeZone={timeZone} />
        <DialogButtons submit={isChecking ? 'Checking…' : submit} onCancel={onClose} />
      </ActionForm>
      {dialog}
    </PageDialog>
  );
};

const DeleteBlock = ({ block, onClose }: { block: CalendarBlock; onClose(): void }) => {
  const timeZone = useClinicZone(block.clinicId);
  const { _id, ...fields } = block;
  return (
    <DeleteSetting
      of="block"
      name="this block"
      records={api.calendarBlocks}
      stored={block}
      again={fields}
      onClose={onClose}
    >
      <p>
        {BLOCK_KINDS[block.kind]}, {periodText(block, timeZone)}. This time becomes free again within the
        opening hours, and can be booked at once.
      </p>
    </DeleteSetting>
  );
};

type Names = {
  clinics: readonly Choice[];
  providers: readonly Choice[];
  periodOf(block: CalendarBlock): string;
};

const columnsOf = ({ clinics, providers, periodOf }: Names): Column<CalendarBlock>[] => [
  {
    name: 'Time',
    cell: (block) => (
      <time dateTime={block.startTime} {...tip(`${exactText(block.startTime)}\n${exactText(block.endTime)}`)}>
        {periodOf(block)}
      </time>
    ),
    isHeader: true,
    card: '2w',
  },
  { name: 'Kind', cell: ({ kind }) => BLOCK_KINDS[kind], card: '1' },
  textColumn('For', ({ providerId }) => forText(providerId, providers), { card: '3w' }),
  textColumn('Clinic', ({ clinicId }) => nameOf(clinicId, clinics), { from: 'medium', card: '4w' }),
];

const actionsOf = ({ periodOf }: Names): Column<CalendarBlock> =>
  actionsColumn(
    (block) => `${BLOCK_KINDS[block.kind]}, ${periodOf(block)}`,
    (block, close) => <BlockForm stored={block} onClose={close} />,
    (block, close) => <DeleteBlock block={block} onClose={close} />,
  );

/** Says that a block was created that the list does not show. */
const HiddenBlock = ({ time, onShow }: { time: string; onShow(): void }) => (
  <Note
    tone="good"
    role="status"
    actions={
      <Button className="compact" onPress={onShow}>
        Show it
      </Button>
    }
  >
    <p>The block is created: {time}. The filters or the page of the list leave it out.</p>
  </Note>
);

/** Times without appointments. */
export const Blocks = ({ search }: { search: ScheduleSearch }) => {
  const navigate = useNavigate({ from: '/schedule' });
  const providers = useProviderChoices();
  const { isPending } = useQuery(allProvidersQuery);
  const { data: all = [] } = useQuery(clinicsQuery);
  const names: Names = {
    clinics: useClinicChoices(),
    providers,
    periodOf: (block) => periodText(block, all.find(({ _id }) => _id === block.clinicId)?.timezone),
  };
  const source = all.find(({ _id }) => _id === search.clinicId);
  const query = useQuery(blocksQuery(search));
  const [created, setCreated] = useState<CalendarBlock>();
  const isShown = query.data?.data.some(({ _id }) => _id === created?._id);
  // Later filters are those of a person who knows of the block.
  useEffect(() => {
    if (isShown) setCreated(undefined);
  }, [isShown]);
  return (
    <>
      {created !== undefined && query.data !== undefined && !isShown && (
        <HiddenBlock
          time={names.periodOf(created)}
          onShow={() => {
            setCreated(undefined);
            const { clinicId, startTime, endTime } = created;
            void navigate({ search: { tab: 'blocks', clinicId, since: startTime, until: endTime } });
          }}
        />
      )}
      <SettingList
        of="blocks"
        create="New block"
        search={search}
        query={query}
        columns={columnsOf(names)}
        actions={actionsOf(names)}
        filters={[
          useClinicFilter(search.clinicId, true),
          {
            name: 'providerId',
            label: 'Provider',
            any: 'Any',
            value: search.providerId,
            choices: providers,
            isPinned: true,
          },
        ]}
        order="the earliest first"
        note="Times are local times of the clinic."
        isReady={!isPending}
        help="A block is a time in which a clinic or a provider takes no appointments, such as a holiday or a meeting."
        action={source !== undefined && <ApplyToClinics source={source} part="blocks" />}
        form={(close) => <BlockForm first={search.clinicId} onCreate={setCreated} onClose={close} />}
      >
        <TimeRange
          label="Time"
          value={search}
          otherwise="from now on"
          onChange={(range) => void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...range }) })}
        />
      </SettingList>
    </>
  );
};
