import { type ReactNode, useEffect, useRef, useState } from 'react';
import { fieldMessages } from '../../api/problems.ts';
import { FormContext } from './form-state.ts';
import { controlsOf, type Refusal, refusalIn } from './refusal.ts';
import './Field.css';

/** The parts of a mutation that the form uses. */
type Action = { error: unknown; isPending: boolean; mutateAsync(): Promise<unknown>; reset(): void };

/** The messages of the browser about the fields of a form, by their names. */
const invalidFields = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    controlsOf(form)
      .filter((each) => !each.validity.valid)
      .map(({ name, validationMessage }) => [name, validationMessage]),
  );

/**
 * A form that sends its request only once, although Enter in a field or a double click can submit the form again while
 * the request is in flight. A refusal is shown at the fields that it names, and the first of them gets the focus.
 * Messages stay until the next submission: if one disappeared while a button is pressed, the button could move away
 * from the pointer.
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
  const form = useRef<HTMLFormElement>(null);
  const isSending = useRef(false);
  const [invalid, setInvalid] = useState<Record<string, string>>({});
  const [described, setDescribed] = useState<Refusal>();
  const { error, isPending } = request;
  const refusal = described !== undefined && described.error === error ? described : undefined;
  const isAtField = refusal?.isWrongProof === true && Object.keys(invalid).length === 0;
  useEffect(() => {
    if (refusal !== undefined || error !== null || Object.keys(invalid).length > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    // Which field is wrong may be known later than the failure.
  }, [error, invalid, refusal]);
  const send = async (target: HTMLFormElement): Promise<void> => {
    if (isSending.current || !isReady) return;
    const found = invalidFields(target);
    setInvalid(found);
    if (Object.keys(found).length > 0) return request.reset();
    isSending.current = true;
    // The request keeps its error, and the form shows it.
    await request.mutateAsync().catch((failure: unknown) => setDescribed(refusalIn(target, failure)));
    isSending.current = false;
  };
  return (
    <FormContext
      value={{
        messages: { ...(refusal?.messages ?? fieldMessages(error)), ...invalid },
        invalid: Object.keys(invalid).length || (refusal?.atFields ?? 0),
        error: isAtField ? null : error,
        isAtField,
        isPending,
      }}
    >
      <form
        ref={form}
        className={className}
        // The form shows the messages itself, in places that it keeps free for them.
        noValidate
        onSubmit={(event) => {
          // React also passes on the submission of a form in a dialog that this form has opened.
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          void send(event.currentTarget);
        }}
      >
        {children}
      </form>
    </FormContext>
  );
};
