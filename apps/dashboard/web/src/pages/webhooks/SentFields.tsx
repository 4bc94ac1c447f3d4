import type { WebhookSubscription } from '@chairside/client';
import { choicesOf, Select } from '../../components/forms/Field.tsx';
import { TextArea } from '../../components/forms/TextArea.tsx';
import { problemOf } from './headers.ts';

type Payload = WebhookSubscription['payload'];

const PAYLOADS = { full: 'The whole record', ids: 'Only ids' } as const satisfies Record<Payload, string>;

/** What of a record is sent. */
export const PayloadField = ({ value, onChange }: { value: Payload; onChange(value: Payload): void }) => (
  <Select
    label="Data"
    name="payload"
    description="With only ids, no name leaves with an event: the receiver reads the record with its key."
    value={value}
    choices={choicesOf(PAYLOADS)}
    onChange={(chosen) => onChange(chosen === 'ids' ? 'ids' : 'full')}
  />
);

/**
 * The fixed headers, as lines.
 *
 * @param props.isOtherOrigin whether values that only the service knows would be lost
 */
export const HeadersField = ({
  value,
  isOtherOrigin = false,
  onChange,
}: {
  value: string;
  isOtherOrigin?: boolean;
  onChange(value: string): void;
}) => (
  <TextArea
    label="Headers"
    name="headers"
    description={
      isOtherOrigin
        ? 'This URL has another scheme, host or port. Type the values again, or the headers are removed.'
        : 'Optional, one a line, such as “Authorization: Bearer …”. Values are shown only while you type them. With headers, no text of the receiver’s response is kept.'
    }
    problem={problemOf(value)}
    value={value}
    onChange={onChange}
  />
);
