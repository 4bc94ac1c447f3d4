import { type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { FormEnd } from '../forms/FormEnd.tsx';
import { FormContext } from '../forms/form-state.ts';
import { afterPaint } from '../transitions/after-paint.ts';
import './PageDialog.css';

/** How long the dialog may take to return the focus. */
const RETURN_TIME_MS = 100;

/**
 * Returns the focus to the element that had it before the dialog, if React Aria has not done so: it does not after the
 * content of the dialog was replaced. If the element no longer exists, for example after a deletion, the heading of the
 * page gets the focus.
 */
const returnFocus = (before: Element | null): void => {
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected;
    (isThere ? before : document.querySelector<HTMLElement>('h1'))?.focus();
  }, RETURN_TIME_MS);
};

/**
 * Closes a dialog that the operator leaves. The dialog is invisible at once, and is removed after that, because laying out
 * the page and returning the focus take longer. Until then, the attribute `data-leaving` of the dialog says that it no
 * longer keeps another one from opening.
 *
 * @param from an element of the dialog
 */
export const leave = (close: () => void, from: Element | null = document.activeElement): void => {
  from?.closest('[role$="dialog"]')?.setAttribute('data-leaving', '');
  afterPaint(close);
};

const FIELDS = 'input:not([type="checkbox"]), select, textarea';

/** Focuses the first field, or the first button of a dialog without fields. */
const FirstFocus = ({ children }: { children: ReactNode }) => {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const dialog = body.current;
    if (dialog !== null && !dialog.contains(document.activeElement))
      (dialog.querySelector<HTMLElement>(FIELDS) ?? dialog.querySelector('button'))?.focus();
  }, []);
  return (
    <div ref={body} className="dialog-body">
      {children}
    </div>
  );
};

const Frame = ({
  title,
  role,
  isDismissable = false,
  isOverLock = false,
  onClose,
  children,
}: {
  title: string;
  role?: 'alertdialog';
  isDismissable?: boolean;
  isOverLock?: boolean;
  onClose(): void;
  children: ReactNode;
}) => (
  <ModalOverlay
    className={isOverLock ? 'overlay over-lock' : 'overlay'}
    isOpen
    isDismissable={isDismissable}
    onOpenChange={(open) => {
      if (!open) onClose();
    }}
  >
    <Modal className="modal">
      <Dialog {...(role !== undefined && { role })}>
        <Heading slot="title">{title}</Heading>
        {children}
      </Dialog>
    </Modal>
  </ModalOverlay>
);

/** Asks before the content of a form is lost. */
export const Discard = ({
  isOverLock = false,
  onKeep,
  onDiscard,
}: {
  isOverLock?: boolean;
  onKeep(): void;
  onDiscard(): void;
}) => (
  <Frame title="Discard what you have entered?" role="alertdialog" isOverLock={isOverLock} onClose={onKeep}>
    <div className="dialog-body">
      <p>The form is not saved. Nothing of it is kept.</p>
      <div className="buttons dialog-buttons">
        <Button onPress={() => leave(onDiscard)}>Discard</Button>
        <Button autoFocus className="primary" onPress={onKeep}>
          Keep editing
        </Button>
      </div>
    </div>
  </Frame>
);

/** Whether an event of a dialog is the change of a field whose content would be lost. A password is typed again quickly. */
const isContent = (target: EventTarget): boolean =>
  (target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement) &&
  target.name !== '' &&
  !/password/i.test(target.name);

/**
 * A dialog over the page, open as long as it is mounted. Escape closes it, and the focus returns to where it was. If a
 * form was filled in, Escape asks before.
 */
export const PageDialog = ({
  title,
  role,
  onClose,
  onEscape,
  children,
  isDismissable = false,
  isOverLock = false,
}: {
  title: string;
  /** Set for a dialog that asks before something is lost. */
  role?: 'alertdialog';
  onClose(): void;
  /** What Escape does instead of closing the dialog, for a dialog with something that cannot be shown again. */
  onEscape?: (() => void) | undefined;
  children: ReactNode;
  /** Whether a press outside of the dialog closes it. Do not set it for dialogs with input or with a secret. */
  isDismissable?: boolean;
  /** Whether the dialog is shown while everything else is hidden. */
  isOverLock?: boolean;
}) => {
  const [asks, setAsks] = useState(false);
  const isChanged = useRef(false);
  const content = useRef<HTMLDivElement>(null);
  const [before] = useState(() => document.activeElement);
  useEffect(() => () => returnFocus(before), [before]);
  const onLeave = () => {
    if (onEscape !== undefined) return onEscape();
    if (isChanged.current) return setAsks(true);
    leave(onClose);
  };
  return (
    <Frame
      title={title}
      {...(role !== undefined && { role })}
      isDismissable={isDismissable}
      isOverLock={isOverLock}
      onClose={onLeave}
    >
      <div
        ref={content}
        onInput={({ target }) => {
          if (isContent(target)) isChanged.current = true;
        }}
      >
        <FirstFocus>{children}</FirstFocus>
      </div>
      {asks && (
        <Discard
          isOverLock={isOverLock}
          onKeep={() => setAsks(false)}
          onDiscard={() => {
            setAsks(false);
            leave(onClose, content.current);
          }}
        />
      )}
    </Frame>
  );
};

/**
 * The end of a dialog's form: the message of a refusal and the buttons.
 *
 * @param props.submit undefined if there is nothing to send
 */
export const DialogButtons = ({
  submit,
  cancel = 'Cancel',
  isDisabled = false,
  danger = false,
  onCancel,
}: {
  submit: string | undefined;
  cancel?: string;
  isDisabled?: boolean;
  danger?: boolean;
  onCancel(): void;
}) => {
  const { isPending } = useContext(FormContext);
  return (
    <FormEnd>
      <Button onPress={() => leave(onCancel)}>{cancel}</Button>
      {submit !== undefined && (
        <Button
          type="submit"
          className={danger ? 'danger' : 'primary'}
          isPending={isPending}
          isDisabled={isDisabled}
        >
          {submit}
        </Button>
      )}
    </FormEnd>
  );
};
