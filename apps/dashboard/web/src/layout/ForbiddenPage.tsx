import { Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { PageHeading } from '../components/page-parts/PageHeading.tsx';
import '../components/states/Waiting.css';

/** The page that is shown if the operator's role may not open the requested page. */
export const ForbiddenPage = () => (
  <>
    <PageHeading>Not allowed</PageHeading>
    <div className="empty">
      <Lock aria-hidden="true" />
      <p className="strong">This page needs the role administrator</p>
      <p>Ask an administrator of your practice.</p>
      <p>
        <Link to="/records">Go to Records</Link>
      </p>
    </div>
  </>
);
