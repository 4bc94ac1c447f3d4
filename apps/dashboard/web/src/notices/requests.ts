import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { withPrompts } from '../session/prompts.ts';

/** The most mails that the overview shows. */
const MAX_NOTICES = 10;

/** The last mails that have told operators what happened. */
export const noticesQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: async ({ signal }) =>
    (await withPrompts(() => api.operators.notices({ pageSize: MAX_NOTICES, signal }).page())).data,
});

/** Which notices the operator gets. */
export const noticeSettingsQuery = queryOptions({
  queryKey: ['noticeSettings'],
  queryFn: ({ signal }) => withPrompts(() => api.sessions.notices({ signal })),
});
