import type { Organization } from '@chairside/client';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { DialogButton } from '../../components/dialogs/DialogButton.tsx';
import { DialogButtons, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { choicesOf, Select } from '../../components/forms/Field.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { withPrompts } from '../../session/prompts.ts';

type Requirement = Organization['requiredFactors'];

const REQUIREMENTS: Readonly<Record<Requirement, string>> = {
  off: 'Nobody',
  administrators: 'Administrators',
  everybody: 'Everybody',
};

const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: ({ signal }) =>
    withPrompts(() => api.request<Organization>('GET', '/api/organization', { signal })),
});

const RequireForm = ({ current, onClose }: { current: Requirement; onClose(): void }) => {
  const queries = useQueryClient();
  const [requiredFactors, setRequired] = useState(current);
  const request = useMutation({
    async mutationFn() {
      if (requiredFactors !== current)
        await withPrompts(() => api.request('PUT', '/api/organization', { body: { requiredFactors } }));
      await queries.invalidateQueries({ queryKey: ['organization'] });
      onClose();
    },
  });
  return (
    <ActionForm request={request}>
      <Select
        label="Who must have a second factor"
        name="requiredFactors"
        description="A passkey or an app for codes, besides the password."
        value={requiredFactors}
        choices={choicesOf(REQUIREMENTS)}
        onChange={(value) => setRequired(value as Requirement)}
      />
      {requiredFactors !== 'off' && (
        <p>
          Whoever has none must add one before opening another page, at once. API keys and access tokens for
          programs keep working.
        </p>
      )}
      <DialogButtons submit="Save" onCancel={onClose} />
    </ActionForm>
  );
};

const RequireDialog = ({ onClose }: { onClose(): void }) => {
  const { data, error, refetch } = useQuery(organizationQuery);
  return (
    <PageDialog title="Require a second factor" onClose={onClose}>
      {data !== undefined && <RequireForm current={data.requiredFactors} onClose={onClose} />}
      {data === undefined &&
        (error === null ? <Waiting of="the setting" /> : <Problem error={error} again={refetch} />)}
    </PageDialog>
  );
};

/** Sets who must have a factor besides the password. */
export const RequireFactors = () => (
  <DialogButton name="Second factor">{(close) => <RequireDialog onClose={close} />}</DialogButton>
);
