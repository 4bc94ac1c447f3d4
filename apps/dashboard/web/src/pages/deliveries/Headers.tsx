import { visibleText } from '../../components/texts/visible-text.ts';
import './Headers.css';

/**
 * The headers of a request or a response.
 *
 * @param props.marked the name of the header that explains the failure
 */
export const Headers = ({
  headers,
  marked,
}: {
  headers: Readonly<Record<string, string>>;
  marked?: string | undefined;
}) => (
  <dl className="headers">
    {Object.entries(headers).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{name.toLowerCase() === marked ? <mark>{visibleText(value)}</mark> : visibleText(value)}</dd>
      </div>
    ))}
  </dl>
);
