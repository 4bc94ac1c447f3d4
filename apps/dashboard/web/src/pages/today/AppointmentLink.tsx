import { Link } from '@tanstack/react-router';
import { Middle } from '../../components/texts/Middle.tsx';

/** The link of a row to its appointment, with the name of the patient. */
export const AppointmentLink = ({
  id,
  name,
  isCut = false,
}: {
  id: string;
  name: string;
  isCut?: boolean;
}) => (
  <Link
    className={isCut ? 'row-link clip' : 'row-link'}
    to="/records/$kind/$recordId"
    params={{ kind: 'appointments', recordId: id }}
  >
    <bdi>
      <Middle>{name}</Middle>
    </bdi>
  </Link>
);
