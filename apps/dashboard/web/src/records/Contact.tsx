import { CopyButton } from '../components/texts/CopyText.tsx';
import { visibleText } from '../components/texts/visible-text.ts';

/** The ways to reach somebody: their names, and their addresses (RFC 3966, RFC 6068). */
const WAYS = {
  phone: {
    name: 'the phone number',
    // An extension is dialled when somebody answers.
    hrefOf: (number: string) => `tel:${(number.split(/[a-z]/i)[0] ?? '').replace(/(?!^\+)\D/g, '')}`,
  },
  email: {
    name: 'the e-mail address',
    hrefOf: (address: string) => `mailto:${encodeURIComponent(address).replace('%40', '@')}`,
  },
} as const;
type Way = keyof typeof WAYS;

/** Whether a field is a way to reach somebody. */
export const isContact = (field: string): field is Way => Object.hasOwn(WAYS, field);

/** An e-mail address that breaks before its host, if it is too long for a line. */
const Breakable = ({ children }: { children: string }) => {
  const at = children.indexOf('@');
  if (at < 0) return children;
  return (
    <>
      {children.slice(0, at)}
      <wbr />
      {children.slice(at)}
    </>
  );
};

/**
 * A phone number that can be called, or an e-mail address that can be written to. Both can be copied.
 *
 * @param props.of whose it is, where several people are listed
 */
export const Contact = ({ field, value, of }: { field: Way; value: string; of?: string }) => (
  <span className="copy-id">
    <a href={WAYS[field].hrefOf(value)}>
      <Breakable>{visibleText(value)}</Breakable>
    </a>
    <CopyButton of={of === undefined ? WAYS[field].name : `${WAYS[field].name} of ${of}`} text={value} />
  </span>
);
