import { Link } from '@tanstack/react-router';
import { Note } from '../../components/states/Note.tsx';
import { useSession } from '../../session/session.ts';

/** Reminds an administrator whose password alone opens the practice. */
export const FactorReminder = () => {
  if (useSession().factors.length > 0) return null;
  return (
    <Note tone="info" label="Second factor" actions={<Link to="/account">Add a second factor</Link>}>
      <p>Only your password protects the keys and patients of your practice.</p>
    </Note>
  );
};
