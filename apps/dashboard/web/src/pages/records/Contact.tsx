import { CopyButton } from '../../components/texts/CopyText.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';

/** The addresses of the ways to reach somebody (RFC 3966, RFC 6068). */
const HREFS: Readonly<Record<string, (value: string) => string>> = {
  // An extension is dialled when somebody answers.
  phone: (number) => `tel:${(number.split(/[a-z]/i)[0] ?? '').replace(/(?!^\+)\D/g, '')}`,
  email: (address) => `mailto:${encodeURIComponent(address).replace('%40', '@')}`,
};
const NAMES: Readonly<Record<string, string>> = { phone: 'the phone number', email: 'the e-mail address' };

/** Whether a field is a way to reach somebody. */
export const isContact = (field: string): boolean => field in HREFS;

/** A phone number that can be called, or an e-mail address that can be written to. Both can be copied. */
export const Contact = ({ field, value }: { field: string; value: string }) => (
  <span className="copy-id">
    <a href={HREFS[field]?.(value)}>{visibleText(value)}</a>
    <CopyButton of={NAMES[field] ?? ''} text={value} />
  </span>
);
