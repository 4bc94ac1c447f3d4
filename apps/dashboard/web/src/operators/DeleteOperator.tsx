import type { Operator } from '@chairside/client';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { TypeToDelete } from '../components/TypeToDelete.tsx';

/** Deletes an operator after the e-mail address has been typed. */
export const DeleteOperator = ({ operator: { _id, email } }: { operator: Operator }) => {
  const queries = useQueryClient();
  return (
    <TypeToDelete
      name={email}
      act={() => api.operators.delete(_id)}
      onDone={() => queries.invalidateQueries({ queryKey: ['operators'] })}
    >
      <p>
        All sessions and access tokens of this operator end at once. This cannot be undone. The audit log
        keeps what the operator did.
      </p>
    </TypeToDelete>
  );
};
