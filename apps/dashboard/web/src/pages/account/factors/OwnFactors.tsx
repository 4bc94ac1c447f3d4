import type { Factors, Passkey } from '@chairside/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { ConfirmAction } from '../../../components/dialogs/ConfirmAction.tsx';
import { DialogButton } from '../../../components/dialogs/DialogButton.tsx';
import { DialogButtons, PageDialog } from '../../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../../components/forms/ActionForm.tsx';
import { Field } from '../../../components/forms/Field.tsx';
import { Problem } from '../../../components/states/Problem.tsx';
import { Waiting } from '../../../components/states/Waiting.tsx';
import { Time } from '../../../components/texts/Time.tsx';
import { withPrompts } from '../../../session/prompts.ts';
import { canUsePasskeys } from '../../../sign-in/passkeys.ts';
import { AddCodes } from './AddCodes.tsx';
import { AddPasskey } from './AddPasskey.tsx';
import { showRecoveryCodes } from './recovery-codes.tsx';
import { factorsQuery, removeCodes, removePasskey, renamePasskey, replaceRecoveryCodes } from './requests.ts';
import './factors.css';

/** Why no passkey can be added here. */
const OFF: Readonly<Record<NonNullable<Factors['passkeysOff']>, string>> = {
  no_dashboard: 'Passkeys cannot be used: the service does not know the address of these pages.',
  ip_address:
    'Passkeys cannot be used here: the address of these pages is a number, and passkeys belong to a name.',
  insecure: 'Passkeys cannot be used here: the address of these pages does not begin with https.',
};

const RenameForm = ({ passkey: { _id, name }, onClose }: { passkey: Passkey; onClose(): void }) => {
  const queries = useQueryClient();
  const [next, setNext] = useState(name);
  const request = useMutation({
    async mutationFn() {
      await withPrompts(() => renamePasskey(_id, next));
      await queries.invalidateQueries(factorsQuery);
      onClose();
    },
  });
  return (
    <ActionForm request={request}>
      <Field
        label="Name"
        name="name"
        autoComplete="off"
        maxLength={100}
        isRequired
        value={next}
        onChange={setNext}
      />
      <DialogButtons submit="Save" onCancel={onClose} />
    </ActionForm>
  );
};

const PasskeyRow = ({ passkey, isLast }: { passkey: Passkey; isLast: boolean }) => {
  const queries = useQueryClient();
  const { _id, name, createdTime, lastUsedTime } = passkey;
  return (
    <li>
      <span>
        <span className="strong">{name}</span>{' '}
        <span className="quiet small">
          {lastUsedTime === undefined ? (
            <>
              added <Time value={createdTime} />
            </>
          ) : (
            <>
              last used <Time value={lastUsedTime} />
            </>
          )}
        </span>
      </span>
      <span className="buttons">
        <DialogButton name="Rename" className="subtle compact">
          {(close) => (
            <PageDialog title={`Rename ${name}`} onClose={close}>
              <RenameForm passkey={passkey} onClose={close} />
            </PageDialog>
          )}
        </DialogButton>
        <ConfirmAction
          name="Remove"
          danger
          title={`Remove ${name}?`}
          submit="Remove"
          cancel="Keep it"
          act={() => removePasskey(_id)}
          onDone={() => queries.invalidateQueries(factorsQuery)}
        >
          <p>You can no longer sign in with it. {isLast && 'Your recovery codes end, too.'}</p>
        </ConfirmAction>
      </span>
    </li>
  );
};

const CodesRow = ({ createdTime, isLast }: { createdTime: string; isLast: boolean }) => {
  const queries = useQueryClient();
  return (
    <li>
      <span>
        <span className="strong">App for codes</span>{' '}
        <span className="quiet small">
          added <Time value={createdTime} />
        </span>
      </span>
      <ConfirmAction
        name="Remove"
        danger
        title="Remove the app for codes?"
        submit="Remove"
        cancel="Keep it"
        act={() => removeCodes()}
        onDone={() => queries.invalidateQueries(factorsQuery)}
      >
        <p>Its codes stop working. {isLast && 'Your recovery codes end, too.'}</p>
      </ConfirmAction>
    </li>
  );
};

const RecoveryRow = ({ left }: { left: number }) => {
  const queries = useQueryClient();
  const made = useRef<string[]>(undefined);
  return (
    <li>
      <span>
        <span className="strong">Recovery codes</span> <span className="quiet small">{left} left</span>
      </span>
      <ConfirmAction
        name="Make new ones"
        title="Make new recovery codes?"
        submit="Make new ones"
        act={async () => {
          made.current = (await replaceRecoveryCodes()).recoveryCodes;
        }}
        onDone={async () => {
          await queries.invalidateQueries(factorsQuery);
          showRecoveryCodes(made.current);
        }}
      >
        <p>The codes that you have now stop working.</p>
      </ConfirmAction>
    </li>
  );
};

const List = ({ passkeys, codes, recoveryCodes, required }: Factors) => {
  const count = passkeys.length + (codes === undefined ? 0 : 1);
  if (count === 0)
    return required ? null : (
      <p>Only your password protects your access. Add a second way to show that it’s you.</p>
    );
  return (
    <ul>
      {passkeys.map((passkey) => (
        <PasskeyRow key={passkey._id} passkey={passkey} isLast={count === 1} />
      ))}
      {codes !== undefined && <CodesRow createdTime={codes.createdTime} isLast={count === 1} />}
      <RecoveryRow left={recoveryCodes.left} />
    </ul>
  );
};

/**
 * What the operator is asked besides the password, with what can be added.
 *
 * @param props.end what follows as soon as there is a factor
 */
export const OwnFactors = ({ end }: { end?: ReactNode }) => {
  const { data, error, refetch } = useQuery(factorsQuery);
  if (data === undefined)
    return error === null ? <Waiting of="your factors" /> : <Problem error={error} again={refetch} />;
  const { passkeys, codes, passkeysOff } = data;
  const hasFactor = passkeys.length > 0 || codes !== undefined;
  return (
    <div className="factors">
      <List {...data} />
      {passkeysOff !== undefined && <p className="quiet small">{OFF[passkeysOff]}</p>}
      <div className="buttons">
        {passkeysOff === undefined && canUsePasskeys() && (
          <DialogButton name="Add a passkey">{(close) => <AddPasskey onClose={close} />}</DialogButton>
        )}
        {codes === undefined && (
          <DialogButton name="Add an app for codes">{(close) => <AddCodes onClose={close} />}</DialogButton>
        )}
        {hasFactor && end}
      </div>
      {hasFactor && (
        <p className="quiet small">
          Lost your phone? Sign in with a recovery code, and remove what is lost. Without a code, an
          administrator of your practice can remove it.
        </p>
      )}
    </div>
  );
};
