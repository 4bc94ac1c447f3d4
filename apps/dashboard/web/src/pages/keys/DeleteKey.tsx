import type { ApiKey } from '@chairside/client';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/dialogs/ConfirmAction.tsx';
import { Time } from '../../components/texts/Time.tsx';

/** Deletes a key after the operator has typed its name. Programs that use the key are refused within a second. */
export const DeleteKey = ({
  apiKey: { _id, name, lastUsedTime },
  onClose,
}: {
  apiKey: ApiKey;
  onClose(): void;
}) => {
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      danger
      title={`Delete ${name}?`}
      submit="Delete"
      cancel="Keep key"
      typeFirst={name}
      act={() => api.apiKeys.delete(_id)}
      onDone={() => queries.invalidateQueries({ queryKey: ['keys'] })}
      onClose={onClose}
    >
      <p>
        Programs that use this key are refused within a second. This cannot be undone.{' '}
        {lastUsedTime === undefined ? (
          'The key was never used.'
        ) : (
          <>
            It was last used <Time value={lastUsedTime} />.
          </>
        )}
      </p>
    </ConfirmDialog>
  );
};
