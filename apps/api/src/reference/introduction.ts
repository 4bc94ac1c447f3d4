/** The beginning of the reference. */
export const description = `A REST API over the records of dental practices, and the signed webhooks that tell of their changes.
Every request acts within one organization: that of its credentials.

**Lists** are bare arrays, complete and in a stable order. With \`limit\` they come in pages: \`Link\` and \`X-Next-Cursor\` say
where the next one is. A page ends before its \`limit\` when it has 8 MiB; its cursor goes on behind it. An unknown query
parameter is refused. Every GET can be a HEAD; that of a list reads no row.

**Failures** have one body, \`Error\`, with the same id as in \`X-Request-Id\`. A method that a path does not have is a 405 with
\`Allow\`; a path that there is not is a 404.

**Retries**: send an \`Idempotency-Key\` with a POST that takes one, \`If-Match\` with a PUT or DELETE, and wait as long as
\`Retry-After\` says.

**Limits**: 600 requests in each 60 s for a key unless it has a figure of its own, 3,000 for an access token, bodies of
256 KiB, 64 MiB of event bodies in each 60 s for an organization, 4 long lists at once for a caller, 20 subscriptions for a clinic, 30 days of
events. All of them are in [limits](/docs/limits). Fields may be added:
ignore those that you do not know.

How to receive webhooks, catch up, poll and retry: the
[integrator guide](/docs/guide).`;

/** The headings of the reference, in their order. */
export const tags = [
  {
    name: 'Patients',
    description: 'Health data: use a key for each integration, with the narrowest scopes.',
  },
  { name: 'Appointments', description: 'What is planned, when and for whom.' },
  { name: 'Clinics', description: 'Read-only.' },
  { name: 'Invoices', description: 'Read-only.' },
  { name: 'Payments', description: 'Read-only.' },
  { name: 'Treatments', description: 'Read-only.' },
  { name: 'Events', description: 'The log of all events of the last 30 days: what a webhook missed.' },
  { name: 'Webhooks', description: 'What the service sends to subscriptions.' },
  { name: 'Webhook subscriptions', description: 'URLs that get the events of a clinic.' },
  { name: 'Webhook deliveries', description: 'One event for one subscription: one attempt.' },
  { name: 'API keys', description: 'What programs send.' },
  { name: 'Operators', description: 'People who sign in.' },
  { name: 'Sessions', description: 'How operators sign in.' },
  { name: 'Audit', description: 'Who did what to which records.' },
  { name: 'Health', description: 'For load balancers.' },
  { name: 'Reference', description: 'This document.' },
];
