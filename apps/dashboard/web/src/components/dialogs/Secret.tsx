import { useQueryClient } from '@tanstack/react-query';
import { Info, Plus } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { Check } from '../forms/Check.tsx';
import { CopyText } from '../texts/CopyText.tsx';
import { DialogButton } from './DialogButton.tsx';
import { forgetSecret, type Shown, showSecret, useShownSecret } from './one-time-secret.ts';
import { leave, PageDialog } from './PageDialog.tsx';
import './Secret.css';

/** A secret that can be shown again, with a button that copies it, and the button that closes the dialog. */
export const Secret = ({
  label,
  text,
  onClose,
  children,
}: {
  label: string;
  text: string;
  onClose(): void;
  children: ReactNode;
}) => (
  <>
    <div className="quiet">{children}</div>
    <CopyText label={label} text={text} />
    <div className="buttons dialog-buttons">
      <Button onPress={() => leave(onClose)}>Done</Button>
    </div>
  </>
);

/**
 * A secret that is shown once. Only "Done" closes the dialog, after the secret was copied or the operator has ticked
 * that it is kept. Escape and a press outside explain this, and the browser asks before it leaves the dashboard.
 */
const OneTimeSecret = ({ shown, onClose }: { shown: Shown; onClose(): void }) => {
  const { title, label, text, explanation, help } = shown;
  const [isKept, setKept] = useState(text === '');
  const [isWarned, setWarned] = useState(false);
  useEffect(() => {
    if (isKept) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isKept]);
  return (
    <PageDialog
      title={title}
      onClose={onClose}
      onEscape={() => (text === '' ? leave(onClose) : setWarned(true))}
    >
      <div className="quiet">{explanation}</div>
      {text !== '' && <CopyText label={label} text={text} onCopied={() => setKept(true)} />}
      {help}
      {text !== '' && (
        <Check isChecked={isKept} onChange={setKept}>
          I have kept it in a safe place
        </Check>
      )}
      <div className="dialog-buttons secret-end">
        <p role={isWarned ? 'alert' : undefined} className={isWarned ? 'small warned' : 'small quiet'}>
          {!isKept && (
            <>
              <Info aria-hidden="true" />
              {isWarned ? 'This does not close the dialog. ' : ''}Copy it, or tick that you have kept it.
            </>
          )}
        </p>
        <Button className="primary" isDisabled={!isKept} onPress={() => leave(onClose)}>
          Done
        </Button>
      </div>
    </PageDialog>
  );
};

/** The dialog of the secret that waits to be kept, over any page of a session. It ends with the session. */
export const ShownSecret = () => {
  const shown = useShownSecret();
  useEffect(() => forgetSecret, []);
  return shown === undefined ? null : <OneTimeSecret key={shown.text} shown={shown} onClose={forgetSecret} />;
};

/** A dialog whose form creates a secret, which is then shown. */
type SecretForm<Made> = {
  title: string;
  /** The query key of the list that contains what is created. */
  list: string;
  /** The form. It passes the created object to `onMade`. */
  form(onMade: (made: Made) => void, onCancel: () => void): ReactNode;
  /** The secret and its purpose; undefined if what was created has none to show. */
  secret(made: Made): Shown | undefined;
};

/** The dialog of a form that creates a secret. */
export const SecretFormDialog = <Made,>({
  title,
  list,
  form,
  secret,
  close,
}: SecretForm<Made> & { close(): void }) => {
  const queries = useQueryClient();
  const onMade = (made: Made) => {
    const shown = secret(made);
    if (shown !== undefined) showSecret(shown);
    close();
    void queries.invalidateQueries({ queryKey: [list] });
  };
  return (
    <PageDialog title={title} onClose={close}>
      {form(onMade, close)}
    </PageDialog>
  );
};

/**
 * A button with a dialog whose form creates a secret. The secret is then shown once. When its dialog closes, the secret
 * is removed from the page.
 */
export const SecretDialog = <Made,>({
  name,
  className,
  ...dialog
}: SecretForm<Made> & { name: string; className?: string }) => (
  <DialogButton
    name={name}
    className={className}
    {...(className === 'primary' && { icon: <Plus aria-hidden="true" /> })}
  >
    {(close) => <SecretFormDialog {...dialog} close={close} />}
  </DialogButton>
);
