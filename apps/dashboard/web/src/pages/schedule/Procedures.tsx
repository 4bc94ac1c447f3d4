import type { CreateProcedure, Procedure } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ClinicsField } from '../../clinics/ClinicsField.tsx';
import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { clinicsQuery, useClinicChoices } from '../../clinics/requests.ts';
import { DialogButtons, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Check } from '../../components/forms/Check.tsx';
import type { Choice } from '../../components/forms/Field.tsx';
import { Field } from '../../components/forms/Field.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { minutesText, moneyText } from '../../components/texts/numbers.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { namesText } from './names.ts';
import { proceduresQuery } from './requests.ts';
import { SettingList } from './SettingList.tsx';
import type { ScheduleSearch } from './search.ts';
import { DeleteSetting, useSave } from './setting-changes.tsx';
import { actionsColumn, nameColumn, textColumn } from './setting-columns.tsx';

/** A stored procedure, or what is typed. */
type Fields = Procedure | CreateProcedure;

const priceText = ({ price, currency }: Fields): string => {
  if (price === undefined || price === null) return '';
  const amount = Number(price);
  // The api accepts any text as a price.
  return Number.isNaN(amount) ? `${price} ${currency ?? ''}`.trim() : moneyText(amount, currency);
};

const bookingText = ({ bookable }: Fields): string => (bookable ? 'By patients' : 'By the practice only');

const offeredText = ({ clinicIds }: Fields, clinics: readonly Choice[]): string =>
  clinicIds ? namesText(clinicIds, clinics) : 'All clinics';

/** A text that is typed; `null` clears the field. */
const optional = (text: string): string | null => text.trim() || null;

const ProcedureForm = ({ stored, onClose }: { stored?: Procedure; onClose(): void }) => {
  const clinics = useClinicChoices();
  const { data: [clinic] = [] } = useQuery(clinicsQuery);
  const [name, setName] = useState(stored?.name ?? '');
  const [code, setCode] = useState(stored?.code ?? '');
  const [duration, setDuration] = useState(String(stored?.durationMinutes ?? 30));
  const [price, setPrice] = useState(String(stored?.price ?? ''));
  const [currency, setCurrency] = useState(
    stored === undefined ? (clinic?.currency ?? '') : (stored.currency ?? ''),
  );
  const [bookable, setBookable] = useState(stored?.bookable ?? true);
  const [clinicIds, setClinicIds] = useState(stored?.clinicIds ?? []);
  const fields = {
    name,
    code: optional(code),
    durationMinutes: Number(duration),
    price: optional(price),
    currency: optional(currency.toUpperCase()),
    bookable,
    clinicIds: clinicIds.length === 0 ? null : clinicIds,
  };
  const { request, versions } = useSave({
    of: 'procedure',
    records: api.procedures,
    stored,
    fields,
    linesOf: (version) => [
      `Name: ${version.name}`,
      `Code: ${version.code ?? 'none'}`,
      `Duration: ${minutesText(version.durationMinutes)}`,
      `Price: ${priceText(version) || 'none'}`,
      `Booking: ${bookingText(version)}`,
      `Clinics: ${offeredText(version, clinics)}`,
    ],
    onClose,
  });
  return (
    <PageDialog title={stored === undefined ? 'New procedure' : `Edit ${stored.name}`} onClose={onClose}>
      <ActionForm request={request}>
        {versions}
        <Field label="Name" name="name" isRequired maxLength={500} value={name} onChange={setName} />
        <div className="pair">
          <Field
            label="Code"
            name="code"
            maxLength={100}
            description="Such as 2060."
            value={code}
            onChange={setCode}
          />
          <Field
            label="Duration in minutes"
            name="durationMinutes"
            type="number"
            min={1}
            max={1440}
            isRequired
            value={duration}
            onChange={setDuration}
          />
          <Field
            label="Price"
            name="price"
            inputMode="decimal"
            pattern="\d+([.]\d+)?"
            description="Such as 80.00."
            value={price}
            onChange={setPrice}
          />
          <Field
            label="Currency"
            name="currency"
            maxLength={3}
            description="Such as EUR."
            value={currency}
            onChange={setCurrency}
          />
        </div>
        <Check name="bookable" isChecked={bookable} onChange={setBookable}>
          Patients may book it themselves
        </Check>
        <ClinicsField
          description="Without a selection, all clinics offer it."
          value={clinicIds}
          onChange={setClinicIds}
        />
        <DialogButtons submit={stored === undefined ? 'Create' : 'Save'} onCancel={onClose} />
      </ActionForm>
    </PageDialog>
  );
};

const columnsOf = (clinics: readonly Choice[]): Column<Procedure>[] => [
  nameColumn(2),
  textColumn('Code', ({ code = '' }) => visibleText(code), { from: 'wide' }),
  {
    name: 'Duration',
    cell: ({ durationMinutes }) => minutesText(durationMinutes),
    isNumber: true,
    card: '2',
  },
  { name: 'Price', cell: priceText, isNumber: true, card: '2r' },
  { name: 'Booking', cell: bookingText, from: 'medium', card: '3' },
  textColumn('Clinics', (procedure) => offeredText(procedure, clinics), { from: 'wide' }),
];

const ACTIONS = actionsColumn<Procedure>(
  ({ name }) => visibleText(name),
  (procedure, close) => <ProcedureForm stored={procedure} onClose={close} />,
  (procedure, close) => (
    <DeleteSetting
      of="procedure"
      name={procedure.name}
      records={api.procedures}
      stored={procedure}
      onClose={close}
    >
      <p>
        It disappears from the price list, and programs find no more free slots for it. Appointments, invoices
        and treatments that name it stay. This cannot be undone.
      </p>
    </DeleteSetting>
  ),
);

/** The price list. */
export const Procedures = ({ search }: { search: ScheduleSearch }) => (
  <SettingList
    of="procedures"
    create="New procedure"
    search={search}
    query={useQuery(proceduresQuery(search))}
    columns={columnsOf(useClinicChoices())}
    actions={ACTIONS}
    filters={[useClinicFilter(search.clinicId, true)]}
    order="by name"
    help="A procedure is an entry of the price list. Its duration decides which slots are free."
    form={(close) => <ProcedureForm onClose={close} />}
  />
);
