import type { Connection } from '@chairside/client';
import { Time } from './Time.tsx';
import './AskedTools.css';

/** The name of a tool in words: `find_availability` is "Find availability". */
const wordsOf = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;

/** What an app has asked, each with its last time. */
export const AskedTools = ({ tools }: Pick<Connection, 'tools'>) => (
  <ul className="asked">
    {tools.map(({ name, lastUsedTime }) => (
      <li key={name}>
        {wordsOf(name)} <Time value={lastUsedTime} />
      </li>
    ))}
  </ul>
);
