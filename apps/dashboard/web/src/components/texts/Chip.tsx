import { CircleCheck, CircleDashed, CircleX, Hourglass, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import './Chip.css';

/** What a chip means. Only the last three have a coloured ground: they need a person, or will change soon. */
export type Tone = 'good' | 'plain' | 'idle' | 'info' | 'warning' | 'bad';

const ICONS: Readonly<Record<Exclude<Tone, 'plain'>, LucideIcon>> = {
  good: CircleCheck,
  idle: CircleDashed,
  info: Hourglass,
  warning: TriangleAlert,
  bad: CircleX,
};

/** A state as a word with an icon and a colour. Icon and colour add no information to the word. */
export const Chip = ({
  tone,
  icon,
  children,
}: {
  tone: Tone;
  icon?: LucideIcon | undefined;
  children: ReactNode;
}) => {
  const Icon = icon ?? (tone === 'plain' ? undefined : ICONS[tone]);
  return (
    <span className={`chip ${tone}`}>
      {Icon !== undefined && <Icon aria-hidden="true" />}
      {children}
    </span>
  );
};
