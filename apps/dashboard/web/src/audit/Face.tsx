import type { AuditEntry } from '@chairside/client';
import { KeyRound, SquareTerminal } from 'lucide-react';
import { initialsOf } from '../principals/initials.ts';
import '../components/page-parts/Avatar.css';

/** A picture of who did something: the initials of a person, or the sign of a program. */
export const Face = ({ entry: { principal }, name }: { entry: AuditEntry; name: string }) => (
  <span className="avatar" aria-hidden="true">
    {principal.kind === 'operator' ? (
      initialsOf(name)
    ) : principal.kind === 'system' ? (
      <SquareTerminal />
    ) : (
      <KeyRound />
    )}
  </span>
);
