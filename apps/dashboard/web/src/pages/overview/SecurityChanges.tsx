import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { AuditList } from '../../audit/AuditList.tsx';
import { usePrincipals } from '../../principals/names.ts';
import { securityChangesQuery } from './requests.ts';
import '../../components/page-parts/Card.css';

/** The latest changes of operators, sessions, tokens, keys, subscriptions and connected apps in the last seven days. */
export const SecurityChanges = () => {
  const query = useQuery(securityChangesQuery);
  const { principals, isPending } = usePrincipals();
  return (
    <section aria-labelledby="changes" className="part">
      <header>
        <h2 id="changes">Security changes of the last seven days</h2>
        <Link to="/audit" className="small">
          Open in audit log
        </Link>
      </header>
      <AuditList
        of="security changes"
        query={query}
        entries={isPending ? undefined : query.data}
        principals={principals}
        empty={<p className="quiet">None.</p>}
      />
    </section>
  );
};
