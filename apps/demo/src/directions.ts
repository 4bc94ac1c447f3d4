import { connectorDirections } from './connector.ts';
import type { DemoFacts, SignedInOrganization } from './data-folder.ts';

const directionsTo = ({ api, cli, receiver }: DemoFacts, organization: SignedInOrganization): string[] => {
  const { apiKey, readOnlyApiKey, administrator, staff, clinicIds, webhookSecret } = organization;
  const basic = Buffer.from(apiKey).toString('base64');
  return [
    `  organization     ${organization._id}`,
    `  clinics          ${clinicIds.join(' ')}`,
    `  API key          ${apiKey}`,
    `  read-only key    ${readOnlyApiKey}`,
    `  administrator    ${administrator.email}  password ${administrator.password}`,
    `  its access token ${administrator.token}`,
    `  staff            ${staff.email}  password ${staff.password}`,
    `  webhook secret   ${webhookSecret}`,
    '',
    '  Try the command line:',
    '',
    `  export CHAIRSIDE_URL=${api} CHAIRSIDE_API_KEY=${apiKey}`,
    `  ${cli} patients list`,
    `  ${cli} patients create --clinic-id ${clinicIds[0]} --name 'New Patient'`,
    `  ${cli} events follow`,
    `  CHAIRSIDE_WEBHOOK_SECRET=${webhookSecret} ${cli} events trigger invoice.paid --forward-to ${receiver} --secret-env CHAIRSIDE_WEBHOOK_SECRET`,
    '',
    '  Or the API:',
    '',
    `  curl -s ${api}/api/clinics -H 'Authorization: Basic ${basic}'`,
    `  curl -s ${api}/api/patients -H 'Authorization: Basic ${basic}' -H 'Content-Type: application/json' -d '{"clinicId":"${clinicIds[0]}","name":"New Patient"}'`,
    `  curl -s ${api}/api/webhooksubscriptions -H 'Authorization: Token ${administrator.token}'`,
    '',
    '  A receiver of your own, which fails here until you start it. Failures disable it after some two seconds: the pauses of the demo',
    '  are short, so that you see how failures end. In production this takes three minutes or more.',
    '',
    `  curl -s ${api}/api/webhooksubscriptions -H 'Authorization: Token ${administrator.token}' -H 'Content-Type: application/json' -d '{"clinicId":"${clinicIds[0]}","url":"http://localhost:4000/webhooks"}'`,
  ];
};

/** The lines that a user needs to continue: addresses, keys, sign-ins and commands to paste. */
export const directions = (facts: DemoFacts): string[] => {
  const [first] = facts.organizations;
  return [
    '',
    `  dashboard        ${facts.dashboard}`,
    ...(first === undefined
      ? []
      : [`                   ${first.administrator.email}  password ${first.administrator.password}`]),
    `  api              ${facts.api}  reference ${facts.api}/docs`,
    `  dispatcher       ${facts.dispatcher}/health/ready`,
    `  metrics          ${[facts.metrics, facts.dispatcher, facts.dashboardMetrics, facts.mcpMetrics].map((each) => `${each}/metrics`).join('  ')}`,
    `  connector        ${facts.mcp}`,
    `  receiver         ${facts.receiver}`,
    `  inbox            ${facts.inbox}  every mail of the demo arrives there`,
    `  MongoDB          ${facts.mongodbUrl}`,
    `  Redis            ${facts.redisUrl}`,
    '',
    ...(first === undefined ? [] : directionsTo(facts, first)),
    '',
    ...connectorDirections(facts.mcp),
    '',
    '  The second organization and everything above: .data/demo.json. Logs: .data/api.log, .data/webhook-dispatcher.log, .data/dashboard.log, .data/mcp.log',
  ];
};
