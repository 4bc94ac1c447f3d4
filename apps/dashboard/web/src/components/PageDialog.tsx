import { type ReactNode, startTransition, useEffect } from 'react';
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import './PageDialog.css';

/** How long the dialog may take to return the focus. */
const RETURN_TIME_MS = 100;

/**
 * Moves the focus to the heading of the page if the button that opened the dialog no longer exists, for example after a
 * deletion.
 */
const keepFocus = (): void => {
  setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus();
  }, RETURN_TIME_MS);
};

/**
 * Closes a dialog that the operator leaves. The press of the button is shown at once, because removing the dialog,
 * laying out the page and returning the focus take longer.
 */
export const leave = (close: () => void): void => startTransition(close);

/** A dialog over the page, open as long as it is mounted. Escape closes it, and the focus returns to where it was. */
export const PageDialog = ({
  title,
  onClose,
  children,
  isDismissable = false,
}: {
  title: string;
  onClose(): void;
  children: ReactNode;
  /** Whether a press outside of the dialog closes it. Do not set it for dialogs with input or with a secret. */
  isDismissable?: boolean;
}) => {
  useEffect(() => keepFocus, []);
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isDismissable={isDismissable}
      onOpenChange={(open) => {
        if (!open) leave(onClose);
      }}
    >
      <Modal className="modal">
        <Dialog>
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
};

/** The buttons at the end of a dialog's form. */
export const DialogButtons = ({
  submit,
  isPending,
  isDisabled = false,
  danger = false,
  onCancel,
}: {
  submit: string;
  isPending: boolean;
  isDisabled?: boolean;
  danger?: boolean;
  onCancel(): void;
}) => (
  <div className="buttons">
    <Button onPress={() => leave(onCancel)}>Cancel</Button>
    <Button
      type="submit"
      className={danger ? 'danger' : 'primary'}
      isPending={isPending}
      isDisabled={isDisabled}
    >
      {submit}
    </Button>
  </div>
);
