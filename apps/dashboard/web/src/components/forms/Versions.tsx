import { Note } from '../states/Note.tsx';
import './Versions.css';

/**
 * Shows both versions after somebody else has changed the object that the form edits, and lets the operator choose one.
 */
export const Versions = ({
  of,
  cancel = 'cancel',
  mine,
  theirs,
}: {
  /** The kind of object that is edited, such as `key`. */
  of: string;
  /** What keeps the other version. */
  cancel?: string;
  mine: readonly string[];
  theirs: readonly string[];
}) => (
  <Note tone="warning" role="alert">
    <p>
      Somebody else has changed this {of}. Save again to replace their version with yours, or {cancel} to keep
      theirs.
    </p>
    <div className="versions">
      {[
        { title: 'Your version', lines: mine },
        { title: 'Their version', lines: theirs },
      ].map(({ title, lines }) => (
        <div key={title}>
          <h3>{title}</h3>
          <ul>
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  </Note>
);
