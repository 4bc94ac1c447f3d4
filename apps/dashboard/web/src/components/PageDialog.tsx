import { type ReactNode, startTransition, useEffect } from 'react';
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import './PageDialog.css';

/** How long the dialog may take to give the focus back. */
const RETURN_TIME_MS = 100;

/** Gives the focus to the heading of the page if the button that opened the dialog is gone, as after a deletion. */
const keepFocus = (): void => {
  setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus();
  }, RETURN_TIME_MS);
};

/**
 * Closes a dialog that its operator leaves. The press is shown at once: to remove the dialog, lay out the page behind it
 * and return the focus takes longer.
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
  /** Whether a press outside closes the dialog. Not for dialogs with input or with a secret. */
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
