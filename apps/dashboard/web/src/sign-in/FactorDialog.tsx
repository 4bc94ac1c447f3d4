import type { ChallengeAnswer } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { DialogButtons, PageDialog } from '../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../components/forms/ActionForm.tsx';
import { Field } from '../components/forms/Field.tsx';
import { type FactorKind, type Question, useQuestion } from '../session/factor.ts';
import { answerWithPasskey } from './passkeys.ts';

const WORDS: Readonly<Record<FactorKind, { label: string; other: string }>> = {
  passkey: { label: 'Passkey', other: 'Use a passkey' },
  code: { label: 'Code of your app', other: 'Use a code of your app' },
  recoveryCode: { label: 'Recovery code', other: 'Use a recovery code' },
};

/** The field of a code. A password manager or the phone may fill it in. */
const CodeField = ({
  kind,
  value,
  onChange,
}: {
  kind: 'code' | 'recoveryCode';
  value: string;
  onChange(value: string): void;
}) => (
  <Field
    key={kind}
    label={WORDS[kind].label}
    name={kind}
    autoComplete={kind === 'code' ? 'one-time-code' : 'off'}
    {...(kind === 'code' && { inputMode: 'numeric' as const })}
    maxLength={100}
    autoFocus
    isRequired
    description={kind === 'code' ? 'Six digits. They change every 30 seconds.' : 'Each works once.'}
    value={value}
    onChange={onChange}
  />
);

const AnswerForm = ({ kinds, challenge, send, dismiss }: Question) => {
  const [kind, setKind] = useState<FactorKind>(kinds[0] ?? 'code');
  const [text, setText] = useState('');
  const request = useMutation({
    async mutationFn() {
      const answer: ChallengeAnswer =
        kind === 'passkey' ? await answerWithPasskey(challenge) : { challenge, [kind]: text };
      await send(answer);
    },
  });
  const change = (next: FactorKind) => {
    request.reset();
    setText('');
    setKind(next);
  };
  return (
    <ActionForm key={kind} request={request}>
      {kind === 'passkey' ? (
        <p>Confirm with the fingerprint, the face or the PIN of your device.</p>
      ) : (
        <CodeField kind={kind} value={text} onChange={setText} />
      )}
      {kinds
        .filter((other) => other !== kind)
        .map((other) => (
          <p key={other}>
            <Button className="link" onPress={() => change(other)}>
              {WORDS[other].other}
            </Button>
          </p>
        ))}
      <DialogButtons submit={kind === 'passkey' ? 'Use passkey' : 'Continue'} onCancel={dismiss} />
    </ActionForm>
  );
};

/** The dialog that asks for the factor of an operator, over any page. */
export const FactorDialog = () => {
  const question = useQuestion();
  if (question === undefined) return null;
  return (
    <PageDialog title="One more step" isOverLock onClose={question.dismiss}>
      <AnswerForm key={question.challenge} {...question} />
    </PageDialog>
  );
};
