import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Field } from './Field.tsx';
import './CopyText.css';

/** A text that cannot be changed, with a button that copies it. */
export const CopyText = ({ label, text }: { label: string; text: string }) => {
  const [copied, setCopied] = useState<boolean>();
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <div className="copy">
      <Field label={label} value={text} isReadOnly />
      <Button onPress={() => void copy()}>Copy</Button>
      <span role="status">
        {copied === true && 'Copied'}
        {copied === false && 'Select the text and copy it: this browser does not allow the button.'}
      </span>
    </div>
  );
};
