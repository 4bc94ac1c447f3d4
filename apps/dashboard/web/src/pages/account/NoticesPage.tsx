import type { NoticeSettings } from '@chairside/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api } from '../../api/client.ts';
import { Leaving } from '../../components/dialogs/Leaving.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { FormEnd } from '../../components/forms/FormEnd.tsx';
import { Saved } from '../../components/forms/Saved.tsx';
import { Card } from '../../components/page-parts/Card.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { noticeSettingsQuery } from '../../notices/requests.ts';
import { SWITCHABLE, SWITCHABLE_NAMES } from '../../notices/words.ts';
import { useSession } from '../../session/session.ts';
import '../../components/forms/Check.css';
import '../../components/forms/Switch.css';
import './NoticesPage.css';

/** The notices that differ from what is stored. */
const changesOf = (chosen: NoticeSettings, stored: NoticeSettings): Partial<NoticeSettings> =>
  Object.fromEntries(
    SWITCHABLE_NAMES.filter((name) => chosen[name] !== stored[name]).map((name) => [name, chosen[name]]),
  );

/** Switches the notices to administrators. */
const Switches = ({ stored }: { stored: NoticeSettings }) => {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState(stored);
  const changes = changesOf(chosen, stored);
  const isChanged = Object.keys(changes).length > 0;
  const request = useMutation({
    mutationFn: async () => (isChanged ? api.sessions.changeNotices(changes) : stored),
    onSuccess(saved) {
      queries.setQueryData(noticeSettingsQuery.queryKey, saved);
      setChosen(saved);
    },
  });
  return (
    <ActionForm request={request}>
      <Leaving isChanged={isChanged} staysAt={(next, current) => next.pathname === current.pathname} />
      {SWITCHABLE_NAMES.map((name) => {
        const [title, when] = SWITCHABLE[name];
        return (
          <label key={name} className="check">
            <input
              type="checkbox"
              // biome-ignore lint/a11y/useAriaPropsForRole: the state of a native check box is known
              role="switch"
              className="hidden"
              name={name}
              checked={chosen[name]}
              onChange={({ target }) => setChosen({ ...chosen, [name]: target.checked })}
            />
            <span className="switch" aria-hidden="true" />
            <span>
              <span className="strong">{title}</span>
              <br />
              <span className="quiet small">{when}</span>
            </span>
          </label>
        );
      })}
      <FormEnd {...(request.isSuccess && !isChanged && { message: <Saved /> })}>
        <Button type="submit" className="primary" isPending={request.isPending}>
          Save
        </Button>
      </FormEnd>
    </ActionForm>
  );
};

/** The page on which operators switch the mails that tell them what has happened. The mails lead to it. */
export const NoticesPage = () => {
  const { role, mail } = useSession();
  const { data: stored, error, refetch } = useQuery(noticeSettingsQuery);
  return (
    <>
      <PageHeading
        back={{ to: '/account', name: 'Account' }}
        note="Mails about what has happened. They are for you alone: others choose theirs."
      >
        Notices
      </PageHeading>
      {!mail && (
        <Note tone="warning">
          <p>
            This service sends no mail, so nobody is notified of anything. The overview shows what needs
            attention.
          </p>
        </Note>
      )}
      <div className="two">
        <Card title="About the practice">
          {role !== 'administrator' && (
            <p className="quiet small">
              Only administrators get these notices. Your choice counts if you become one.
            </p>
          )}
          <Problem error={stored === undefined ? error : null} again={refetch} />
          {stored === undefined ? (
            error === null && <Waiting of="your notices" />
          ) : (
            <Switches stored={stored} />
          )}
        </Card>
        <Card title="About your account">
          <p>These notices cannot be switched off:</p>
          <ul className="always">
            <li>your password was changed</li>
            <li>your e-mail address was changed; the previous address is notified, too</li>
            <li>your role was changed</li>
            <li>a sign-in from a network that is new to your account</li>
            <li>an invitation, and a link for a new password</li>
          </ul>
          <p className="quiet small">
            They protect your account: somebody who has stolen it would switch them off first.
          </p>
        </Card>
      </div>
    </>
  );
};
