import type { Provider } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ClinicsField } from '../../clinics/ClinicsField.tsx';
import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { useClinicChoices } from '../../clinics/requests.ts';
import { DialogButtons, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import type { Choice } from '../../components/forms/Field.tsx';
import { Field } from '../../components/forms/Field.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
import { namesText } from './names.ts';
import { providersQuery } from './requests.ts';
import { SettingList } from './SettingList.tsx';
import type { ScheduleSearch } from './search.ts';
import { DeleteSetting, useSave } from './setting-changes.tsx';
import { actionsColumn, nameColumn, textColumn } from './setting-columns.tsx';

const ProviderForm = ({ stored, onClose }: { stored?: Provider; onClose(): void }) => {
  const clinics = useClinicChoices();
  const [name, setName] = useState(stored?.name ?? '');
  const [clinicIds, setClinicIds] = useState(stored?.clinicIds ?? []);
  const fields = { name, clinicIds };
  const { request, versions } = useSave({
    of: 'provider',
    records: api.providers,
    stored,
    fields,
    linesOf: (version) => [`Name: ${version.name}`, `Clinics: ${namesText(version.clinicIds, clinics)}`],
    onClose,
  });
  return (
    <PageDialog title={stored === undefined ? 'New provider' : `Edit ${stored.name}`} onClose={onClose}>
      <ActionForm request={request}>
        {versions}
        <Field
          label="Display name"
          name="name"
          isRequired
          maxLength={500}
          description="As patients and colleagues see it."
          value={name}
          onChange={setName}
        />
        <ClinicsField
          description="Where the provider works: at least one."
          value={clinicIds}
          onChange={setClinicIds}
        />
        <DialogButtons submit={stored === undefined ? 'Create' : 'Save'} onCancel={onClose} />
      </ActionForm>
    </PageDialog>
  );
};

const columnsOf = (clinics: readonly Choice[]): Column<Provider>[] => [
  nameColumn(1),
  textColumn('Clinics', ({ clinicIds }) => namesText(clinicIds, clinics), { card: '2w' }),
];

const ACTIONS = actionsColumn<Provider>(
  ({ name }) => visibleText(name),
  (provider, close) => <ProviderForm stored={provider} onClose={close} />,
  (provider, close) => (
    <DeleteSetting
      of="provider"
      name={provider.name}
      records={api.providers}
      stored={provider}
      onClose={close}
    >
      <p>
        Nobody can book this provider any more. Existing appointments and blocks of the provider stay, and
        then name a provider that no longer exists. This cannot be undone.
      </p>
    </DeleteSetting>
  ),
);

/** The people who treat patients. */
export const Providers = ({ search }: { search: ScheduleSearch }) => (
  <SettingList
    of="providers"
    create="New provider"
    search={search}
    query={useQuery(providersQuery(search))}
    columns={columnsOf(useClinicChoices())}
    actions={ACTIONS}
    filters={[useClinicFilter(search.clinicId, true)]}
    order="by name"
    help="A provider is a person who treats patients. An appointment and a block can name one."
    form={(close) => <ProviderForm onClose={close} />}
  />
);
