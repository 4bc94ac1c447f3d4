import { CircleCheck, CircleX, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import './Note.css';

type Tone = 'good' | 'idle' | 'info' | 'warning' | 'bad';

const ICONS: Readonly<Record<Tone, LucideIcon>> = {
  good: CircleCheck,
  idle: Info,
  info: Info,
  warning: TriangleAlert,
  bad: CircleX,
};

/**
 * A message above the content of a page: what happened, what to do, and the button that does it.
 *
 * @param props.label the accessible name, if the message is a part of the page that people look for
 */
export const Note = ({
  tone,
  role,
  label,
  actions,
  children,
}: {
  tone: Tone;
  role?: 'status' | 'alert';
  label?: string;
  actions?: ReactNode;
  children: ReactNode;
}) => {
  const Icon = ICONS[tone];
  const content = (
    <>
      <Icon aria-hidden="true" />
      <div>{children}</div>
      {actions !== undefined && <div className="buttons">{actions}</div>}
    </>
  );
  const className = `note ${tone}`;
  return label === undefined ? (
    <div className={className} role={role}>
      {content}
    </div>
  ) : (
    <section className={className} aria-label={label}>
      {content}
    </section>
  );
};
