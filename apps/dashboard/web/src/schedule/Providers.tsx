import type { Provider } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { useClinicFilter } from '../clinics/clinic-filter.ts';
import { useClinicChoices } from '../clinics/requests.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { Actions } from '../components/Actions.tsx';
import type { Choice } from '../components/Field.tsx';
import { Field } from '../components/Field.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import type { Column } from '../components/Table.tsx';
import { tip } from '../components/tip.ts';
import { visibleText } from '../components/visible-text.ts';
import { ClinicsField } from './ClinicsField.tsx';
import { namesText } from './names.ts';
import { providersQuery } from './requests.ts';
import { SettingList } from './SettingList.tsx';
import type { ScheduleSearch } from './search.ts';
import { DeleteSetting, useSave } from './setting-changes.tsx';

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
  {
    name: 'Name',
    cell: ({ name }) => (
      <bdi className="strong" {...tip(visibleText(name))}>
        {visibleText(name)}
      </bdi>
    ),
    isHeader: true,
    grow: 1,
    card: '1',
  },
  {
    name: 'Clinics',
    cell: ({ clinicIds }) => (
      <span {...tip(namesText(clinicIds, clinics))}>{namesText(clinicIds, clinics)}</span>
    ),
    grow: 1,
    card: '2w',
  },
];

const ACTIONS: Column<Provider> = {
  name: 'Actions',
  isNameHidden: true,
  cell: (provider) => (
    <Actions
      of={visibleText(provider.name)}
      areButtons
      actions={[
        { name: 'Edit', dialog: (close) => <ProviderForm stored={provider} onClose={close} /> },
        {
          name: 'Delete',
          isDanger: true,
          dialog: (close) => (
            <DeleteSetting
              of="provider"
              name={provider.name}
              records={api.providers}
              stored={provider}
              onClose={close}
            >
              <p>
                Nobody can book this provider any more. Existing appointments and blocks of the provider stay,
                and then name a provider that no longer exists. This cannot be undone.
              </p>
            </DeleteSetting>
          ),
        },
      ]}
    />
  ),
  card: '1r',
};

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
