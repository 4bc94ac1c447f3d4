/** The introduction of the reference. */
export const description = `A REST API over the records of dental practices. When a record changes, the service sends
signed webhooks. A request can access one organization only: the organization of its credentials.

**Lists** are JSON arrays in a stable order. A list of records has all rows; with \`limit\`, it is returned in pages. A list
whose \`limit\` has a default is always returned in pages. \`Link\` and \`X-Next-Cursor\` refer to the next page. A page that
reaches 8 MiB, or for which the service has computed for half a second, has fewer rows than \`limit\`, and its cursor leads to the next row. An unknown query parameter is refused. Every path with GET supports HEAD; a HEAD request for a list reads no
rows.

**Errors** all have the body \`Error\`. It contains the id of the request, which is also in \`X-Request-Id\`. An unknown
path returns 404. A method that a path does not have returns 405 with \`Allow\`.

**Retries**: send an \`Idempotency-Key\` with a POST that accepts one, and \`If-Match\` with a PUT or DELETE. Before a
retry, wait for the number of seconds in \`Retry-After\`.

**Limits**: 600 requests a minute for an API key, unless the key has its own limit; 3,000 for an access token or a program token. Request bodies
of 256 KiB. 64 MiB of event bodies a minute for an organization. 4 long lists at once for an API key or operator. 20
subscriptions for a clinic. Events are kept for 30 days. [All limits](/docs/limits).

Fields may be added to responses: ignore fields that you do not know.

The [integrator guide](/docs/guide) explains how to receive webhooks, catch up, poll and retry.`;

/** The headings of the reference, in order. */
export const tags = [
  {
    name: 'Patients',
    description: 'Health data. Use one key for each integration, with as few scopes as possible.',
  },
  { name: 'Appointments', description: 'Appointments of patients, with their procedures and reminders.' },
  { name: 'Batches', description: 'Many writes of patients and appointments with one request.' },
  { name: 'Clinics', description: 'Read-only.' },
  { name: 'Invoices', description: 'Read-only.' },
  { name: 'Payments', description: 'Read-only.' },
  { name: 'Treatments', description: 'Read-only.' },
  { name: 'Providers', description: 'The people who treat patients.' },
  { name: 'Procedures', description: 'The price list.' },
  { name: 'Calendar blocks', description: 'Times without appointments, of a clinic or of one provider.' },
  { name: 'Availability', description: 'Free slots.' },
  {
    name: 'Opening hours',
    description: 'When a clinic is open, and how many appointments it holds at once.',
  },
  { name: 'Events', description: 'The log of all events of the last 30 days.' },
  { name: 'Webhooks', description: 'The requests that the service sends to receivers.' },
  { name: 'Webhook subscriptions', description: 'URLs that receive the events of a clinic.' },
  {
    name: 'Webhook deliveries',
    description: 'A delivery is one event for one subscription, with at most one attempt.',
  },
  { name: 'API keys', description: 'Credentials of programs.' },
  { name: 'Notices', description: 'Mails that tell operators what has happened.' },
  { name: 'Connections', description: 'Connected apps, such as AI assistants.' },
  { name: 'Operators', description: 'People who sign in.' },
  { name: 'Factors', description: 'What an operator is asked besides the password.' },
  { name: 'Organization', description: 'Who must have a factor besides the password.' },
  {
    name: 'Links',
    description: 'The links of invitations and of new passwords. Their operations need no session.',
  },
  {
    name: 'Sessions',
    description: 'Signing in and out, confirming or changing a password, and access tokens for programs.',
  },
  { name: 'Audit', description: 'A log of who accessed which records, and of security actions.' },
  {
    name: 'Service status',
    description: 'Whether the service works, for administrators of an organization.',
  },
  { name: 'Health', description: 'For load balancers.' },
  { name: 'Reference', description: 'This document.' },
];
