import { Link } from '@tanstack/react-router';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import type { Names } from '../../records/names.ts';

/** A patient by name, or by the end of the id while the name is unknown. */
export const PatientLink = ({ id, names }: { id: string; names: Names | undefined }) => {
  const name = names?.get(id);
  return (
    <Link
      className="over"
      to="/records/$kind/$recordId"
      params={{ kind: 'patients', recordId: id }}
      {...tip(visibleText(name || id))}
    >
      <bdi>{visibleText(name || `…${id.slice(-4)}`)}</bdi>
    </Link>
  );
};
