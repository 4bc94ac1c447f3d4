import type { ApiKey } from '@chairside/client';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { TypeToDelete } from '../components/TypeToDelete.tsx';

/** Deletes a key after the operator has typed its name. Programs that use the key are refused within a second. */
export const DeleteKey = ({ apiKey: { _id, name } }: { apiKey: ApiKey }) => {
  const queries = useQueryClient();
  return (
    <TypeToDelete
      name={name}
      act={() => api.apiKeys.delete(_id)}
      onDone={() => queries.invalidateQueries({ queryKey: ['keys'] })}
    >
      <p>Programs that use this key are refused within a second. This cannot be undone.</p>
    </TypeToDelete>
  );
};
