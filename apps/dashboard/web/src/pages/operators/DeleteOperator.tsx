import type { Operator } from '@chairside/client';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/dialogs/ConfirmAction.tsx';

/** Deletes an operator after the e-mail address has been typed. */
export const DeleteOperator = ({
  operator: { _id, email },
  warning,
  onClose,
}: {
  operator: Operator;
  warning: string | undefined;
  onClose(): void;
}) => {
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      danger
      title={`Delete ${email}?`}
      submit="Delete"
      cancel="Keep operator"
      typeFirst={email}
      act={() => api.operators.delete(_id)}
      onDone={() => queries.invalidateQueries({ queryKey: ['operators'] })}
      onClose={onClose}
    >
      {warning !== undefined && <p className="strong">{warning}</p>}
      <p>
        All sessions and access tokens of this operator end at once. This cannot be undone. The audit log
        keeps what the operator did.
      </p>
    </ConfirmDialog>
  );
};
