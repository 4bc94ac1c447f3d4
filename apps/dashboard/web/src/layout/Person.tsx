import { ChairsideError } from '@chairside/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, CircleUserRound } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { signOut } from '../api/session-calls.ts';
import { clinicsQuery } from '../clinics/requests.ts';
import { Menu } from '../components/menus/Menu.tsx';
import { visibleText } from '../components/texts/visible-text.ts';
import { initialsOf } from '../principals/initials.ts';
import { tellSignOut, useSession } from '../session/session.ts';
import { APPEARANCE_CHOICES, chooseAppearance, storedAppearance } from './appearance.ts';
import '../components/pages/Avatar.css';
import './Person.css';

/** Ends the session. A failure is shown on the page. */
export const useSignOut = () => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: signOut,
    async onSettled(_result, error) {
      // After a failure other than 503, the cookie may still exist, and the page must not show that the operator is
      // signed out.
      if (error !== null && !(error instanceof ChairsideError && error.status === 503)) return;
      // No data of the session may stay in memory.
      await queries.cancelQueries();
      queries.clear();
      tellSignOut();
      await navigate({ to: '/sign-in' });
    },
  });
};

/** The names of the clinics of the practice. An organization has no name of its own. Empty until they are read. */
const usePractice = (): string => {
  const { data = [] } = useQuery(clinicsQuery);
  return data.map(({ name, _id }) => visibleText(name ?? _id)).join(', ');
};

/**
 * Who is signed in and for which practice, with a menu: the page Account, the appearance and the end of the session.
 *
 * @param props.isSmall shows only an icon
 */
export const Person = ({ isSmall = false, onSignOut }: { isSmall?: boolean; onSignOut(): void }) => {
  const { email = '' } = useSession();
  const practice = usePractice();
  const navigate = useNavigate();
  const [appearance, setAppearance] = useState<string>(storedAppearance);
  return (
    <Menu
      label="Account menu"
      button={
        isSmall ? (
          <Button className="subtle icon" aria-label="Account menu">
            <CircleUserRound aria-hidden="true" />
          </Button>
        ) : (
          <Button className="subtle person">
            <span className="hidden">Account menu: </span>
            <span className="avatar" aria-hidden="true">
              {initialsOf(email)}
            </span>
            <span className="clip">
              <b className="clip">{practice}</b>
              <span className="clip">{email}</span>
            </span>
            <ChevronsUpDown aria-hidden="true" />
          </Button>
        )
      }
      choice={{
        label: 'Appearance',
        value: appearance,
        choices: APPEARANCE_CHOICES,
        onChange: (value) => setAppearance(chooseAppearance(value)),
      }}
      actions={[
        { id: 'account', name: 'Account', act: () => void navigate({ to: '/account' }) },
        { id: 'sign-out', name: 'Sign out', act: onSignOut },
      ]}
    />
  );
};
