import { type ReactNode, useRef } from 'react';
import { Form } from 'react-aria-components';
import { useFieldErrors } from '../api/problems.ts';
import './Field.css';

/** The parts of a mutation that the form uses. */
type Action = { error: unknown; mutateAsync(): Promise<unknown> };

/**
 * A form that sends its request only once, although Enter in a field or a double click can submit the form again while
 * the request is in flight. The messages of a refusal are shown at the fields that they name.
 *
 * @param props.isReady whether the form may be sent
 */
export const ActionForm = ({
  request,
  isReady = true,
  className = 'form',
  children,
}: {
  request: Action;
  isReady?: boolean;
  className?: string;
  children: ReactNode;
}) => {
  const isSending = useRef(false);
  const send = async (): Promise<void> => {
    if (isSending.current || !isReady) return;
    isSending.current = true;
    // The request keeps its error, and the form shows it.
    await request.mutateAsync().catch(() => {});
    isSending.current = false;
  };
  return (
    <Form
      className={className}
      validationErrors={useFieldErrors(request.error)}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {children}
    </Form>
  );
};
