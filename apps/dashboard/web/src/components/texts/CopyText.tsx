import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { Preformatted } from './Preformatted.tsx';
import { tip } from './tip.ts';
import './CopyText.css';

/** Copies a text, and remembers for the page whether it worked. */
const useCopy = (text: string, onCopied?: () => void) => {
  const [isCopied, setCopied] = useState<boolean>();
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        onCopied?.();
      },
      () => setCopied(false),
    );
  return { isCopied, copy: () => void copy() };
};

/** The number of characters that fit into a line of a dialog. */
const LINE = 36;

const rowsOf = (text: string): number =>
  text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / LINE)), 0);

/** A text that is shown whole and cannot be changed, with a button that copies it. */
export const CopyText = ({
  label,
  text,
  onCopied,
}: {
  label: string;
  text: string;
  onCopied?: () => void;
}) => {
  const { isCopied, copy } = useCopy(text, onCopied);
  return (
    <div className="copy-text">
      <textarea aria-label={label} readOnly rows={rowsOf(text)} value={text} />
      <Button className="primary" onPress={copy}>
        {isCopied === true ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
        Copy
      </Button>
      <span role="status" className="small quiet">
        {isCopied === true && 'Copied'}
        {isCopied === false && 'Select the text and copy it: this browser does not allow the button.'}
      </span>
    </div>
  );
};

/**
 * A small button that copies a text, for example an id. It is the browser's own, because a list has many.
 *
 * @param props.isNamed whether the button shows what it copies
 */
export const CopyButton = ({
  of,
  text,
  isNamed = false,
}: {
  of: string;
  text: string;
  isNamed?: boolean;
}) => {
  const { isCopied, copy } = useCopy(text);
  return (
    <button
      type="button"
      className={isNamed ? 'subtle compact' : 'subtle copy-button'}
      {...(!isNamed && { 'aria-label': `Copy ${of}` })}
      onClick={copy}
    >
      {isCopied === true ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      {isNamed && `Copy ${of}`}
      <span role="status" className="hidden">
        {isCopied === true && 'Copied'}
        {isCopied === false && 'This browser does not allow to copy.'}
      </span>
    </button>
  );
};

/** Number of characters of an id that are shown. */
const SHOWN = 4;

/**
 * The end of an id, with a button that copies the whole. Of the id of a delivery, the end of its event's id is shown,
 * because the deliveries of a subscription end alike.
 */
export const CopyId = ({ id, of }: { id: string; of: string }) => (
  <span className="copy-id over">
    <code {...tip(id)}>…{(id.split('-')[0] || id).slice(-SHOWN)}</code>
    <CopyButton of={of} text={id} />
  </span>
);

/** Text that runs, for example a command, with a button that copies it. */
export const Snippet = ({ title, children }: { title: ReactNode; children: string }) => (
  <figure className="snippet">
    <figcaption>
      {title}
      <CopyButton of="the code" text={children} />
    </figcaption>
    <Preformatted>{children}</Preformatted>
  </figure>
);
