import type { Operator } from '@chairside/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban } from 'lucide-react';
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/dialogs/ConfirmAction.tsx';
import { List } from '../../components/lists/List.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { Actions, type RowAction } from '../../components/menus/Actions.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Chip } from '../../components/texts/Chip.tsx';
import { useNow } from '../../components/texts/now.ts';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { offerUndo, type UndoableChange } from '../../components/undo/undo.ts';
import { initialsOf } from '../../principals/initials.ts';
import { operatorName } from '../../principals/operator-name.ts';
import { operatorsQuery } from '../../principals/requests.ts';
import { undoOwn } from '../../session/seen-change.ts';
import { useSession } from '../../session/session.ts';
import { DeleteOperator } from './DeleteOperator.tsx';
import { EditOperator } from './EditOperator.tsx';
import { InviteAgain } from './InviteAgain.tsx';
import { stateOfInvitation } from './invitation.ts';
import { NewOperator } from './NewOperator.tsx';
import { RequireFactors } from './RequireFactors.tsx';
import { ResetPassword } from './ResetPassword.tsx';
import { ROLES } from './roles.ts';
import { ENDED, otherAdministrators, remainText } from './self.ts';
import '../../components/page-parts/Avatar.css';
import './OperatorsPage.css';

const State = ({ operator: { active, passwordChangeRequired, invitation } }: { operator: Operator }) => {
  const now = useNow();
  if (!active)
    return (
      <Chip tone="idle" icon={Ban}>
        Disabled
      </Chip>
    );
  if (invitation !== undefined) {
    const { tone, text } = stateOfInvitation(invitation, now);
    return <Chip tone={tone}>{text}</Chip>;
  }
  if (passwordChangeRequired) return <Chip tone="info">Must choose a password</Chip>;
  return <Chip tone="good">Active</Chip>;
};

const RowActions = ({ operator, others }: { operator: Operator; others: readonly Operator[] }) => {
  const { _id, email, active, role, invitation, factors } = operator;
  const now = useNow();
  const queries = useQueryClient();
  const isSelf = useSession().operatorId === _id;
  const refresh = () => queries.invalidateQueries({ queryKey: ['operators'] });
  const warning = isSelf
    ? `This is your own account: you are signed out now. ${role === 'administrator' ? remainText(others, now) : ''}`
    : undefined;
  const switched: UndoableChange = {
    done: `${email} is ${active ? 'disabled' : 'enabled'}.`,
    lost: active ? ENDED : undefined,
    undone: `${email} is ${active ? 'enabled' : 'disabled'} again.`,
    async undo() {
      await undoOwn(
        () => api.operators.get(_id).withResponse(),
        (stored) => stored.active === !active,
        (stored) => stored.active === active,
        (ifMatch) => api.operators.update(_id, { active }, { ifMatch }),
      );
      await refresh();
    },
  };
  const edit: RowAction = {
    name: 'Edit',
    dialog: (close) => <EditOperator operator={operator} isSelf={isSelf} others={others} onClose={close} />,
  };
  const ofInvited: RowAction[] = [
    { name: 'Send again', dialog: (close) => <InviteAgain operator={operator} onClose={close} /> },
    {
      name: 'Withdraw',
      isDanger: true,
      dialog: (close) => (
        <ConfirmDialog
          danger
          title={`Withdraw the invitation of ${email}?`}
          submit="Withdraw"
          cancel="Keep invitation"
          act={() => api.operators.delete(_id)}
          onDone={refresh}
          onClose={close}
        >
          <p>The link stops working, and the operator is removed from this list.</p>
        </ConfirmDialog>
      ),
    },
  ];
  const ofOthers: RowAction[] = [
    { name: 'Reset password', dialog: (close) => <ResetPassword operator={operator} onClose={close} /> },
    ...(factors.length > 0
      ? [
          {
            name: 'Remove factors',
            isDanger: true,
            dialog: (close: () => void) => (
              <ConfirmDialog
                danger
                title={`Remove the factors of ${email}?`}
                submit="Remove"
                cancel="Keep them"
                act={() => api.request('DELETE', `/api/operators/${encodeURIComponent(_id)}/factors`)}
                onDone={refresh}
                onClose={close}
              >
                <p>
                  Do this only if you have spoken with the person: until a new one is added, the password
                  alone is enough. All sessions and access tokens of the operator end at once. This cannot be
                  undone.
                </p>
              </ConfirmDialog>
            ),
          },
        ]
      : []),
  ];
  const ofAll: RowAction[] = [
    {
      name: 'End sessions',
      dialog: (close) => (
        <ConfirmDialog
          title={`End all sessions of ${email}?`}
          submit="End sessions"
          act={() => api.operators.endSessions(_id)}
          onDone={refresh}
          onClose={close}
        >
          {isSelf && <p className="strong">This is your own account: you are signed out now.</p>}
          <p>
            The operator is signed out everywhere, and the operator’s access tokens stop working. The operator
            can sign in again. This cannot be undone.
          </p>
        </ConfirmDialog>
      ),
    },
    {
      name: active ? 'Disable' : 'Enable',
      dialog: (close) => (
        <ConfirmDialog
          title={`${active ? 'Disable' : 'Enable'} ${email}?`}
          submit={active ? 'Disable' : 'Enable'}
          act={() => api.operators.update(_id, { active: !active })}
          onDone={async () => {
            await refresh();
            if (!isSelf) offerUndo(switched);
          }}
          onClose={close}
        >
          {warning !== undefined && <p className="strong">{warning}</p>}
          <p>
            {active
              ? 'All sessions and access tokens of this operator end at once, and the operator can no longer sign in.'
              : 'The operator can sign in again, with the same password as before.'}
          </p>
        </ConfirmDialog>
      ),
    },
    {
      name: 'Delete',
      isDanger: true,
      dialog: (close) => <DeleteOperator operator={operator} warning={warning} onClose={close} />,
    },
  ];
  // Operators change their own password on the page Account, because the api requires their current password.
  const further = invitation !== undefined ? ofInvited : [...(isSelf ? [] : ofOthers), ...ofAll];
  return <Actions of={email} actions={[edit, ...further]} />;
};

/** The kinds of factors in words. */
const FACTORS: Readonly<Record<Operator['factors'][number], string>> = { passkey: 'Passkey', code: 'App' };

const columnsOf = (operators: readonly Operator[], self: string): Column<Operator>[] => [
  {
    name: 'Person',
    cell: (operator) => (
      <span className="operator">
        <span className="avatar" aria-hidden="true">
          {initialsOf(operatorName(operator))}
        </span>
        <span className="clip" {...tip(operator.email)}>
          <bdi className="strong">{visibleText(operatorName(operator))}</bdi>
          {operator.name !== undefined && <span className="small quiet">{operator.email}</span>}
        </span>
        {operator._id === self && (
          <span aria-hidden="true">
            <Chip tone="plain">You</Chip>
          </span>
        )}
      </span>
    ),
    isHeader: true,
    grow: 2,
    card: '1',
  },
  { name: 'Role', cell: ({ role }) => ROLES[role], card: '2' },
  { name: 'State', cell: (operator) => <State operator={operator} />, card: '3w' },
  {
    name: 'Second factor',
    cell: ({ factors, invitation }) =>
      invitation === undefined &&
      (factors.length === 0 ? 'None' : factors.map((kind) => FACTORS[kind]).join(', ')),
    from: 'medium',
  },
  {
    name: 'Last sign-in',
    cell: ({ lastSignInTime }) => <Time value={lastSignInTime} />,
    isNumber: true,
    from: 'medium',
  },
  {
    name: 'Actions',
    isNameHidden: true,
    cell: (operator) => (
      <RowActions operator={operator} others={otherAdministrators(operators, operator._id)} />
    ),
    card: '1r',
  },
];

/** The operators of the organization. */
export const OperatorsPage = () => {
  const query = useQuery(operatorsQuery);
  const { operatorId } = useSession();
  return (
    <>
      <PageHeading
        note="People who may sign in here. A program uses an API key instead."
        actions={
          <>
            <RequireFactors />
            <NewOperator />
          </>
        }
      >
        Operators
      </PageHeading>
      {query.data?.length === 1 && (
        <Note tone="warning">
          <p>
            You are the only operator. A second administrator can let you in again if you forget the password.
          </p>
        </Note>
      )}
      <List
        of="operators"
        query={query}
        rows={query.data}
        columns={columnsOf(query.data ?? [], operatorId)}
        keyOf={({ _id }) => _id}
        isTall
        empty={null}
      />
    </>
  );
};
