import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

const CALLBACK = 'http://127.0.0.1:9/callback';

/** A browser without scripts, with one cookie jar. */
export const openBrowser = (origin: string) => {
  const cookies = new Map<string, string>();
  return async (target: string | URL, body?: object): Promise<Response> => {
    const response = await fetch(new URL(target, origin), {
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body !== undefined && { origin, 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
};
export type Browse = ReturnType<typeof openBrowser>;

/** An app that keeps its tokens in memory. */
const createProvider = () => {
  let client: StoredOAuthClientInformation | undefined;
  let tokens: StoredOAuthTokens | undefined;
  let verifier = '';
  let discovery: OAuthDiscoveryState | undefined;
  const provider = {
    sentTo: undefined as URL | undefined,
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'Assistant', redirect_uris: [CALLBACK] },
    clientInformation: () => client,
    saveClientInformation: (given: StoredOAuthClientInformation) => {
      client = given;
    },
    tokens: () => tokens,
    saveTokens: (given: StoredOAuthTokens) => {
      tokens = given;
    },
    redirectToAuthorization: (url: URL) => {
      provider.sentTo = url;
    },
    saveCodeVerifier: (given: string) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (given: OAuthDiscoveryState) => {
      discovery = given;
    },
    discoveryState: () => discovery,
  } satisfies OAuthClientProvider & { sentTo: URL | undefined };
  return provider;
};

/**
 * Connects an assistant to the connector. The administrator allows it in the browser.
 *
 * @param browse the browser, signed in as an administrator
 * @returns a function that calls a tool in a new session, and throws if the call fails
 */
export const connectAssistant = async (
  connector: string,
  browse: Browse,
): Promise<(tool: string) => Promise<void>> => {
  const provider = createProvider();
  const open = () => ({
    client: new Client({ name: 'upgrade', version: '1' }),
    transport: new StreamableHTTPClientTransport(new URL(connector), { authProvider: provider }),
  });
  const first = open();
  await first.client.connect(first.transport).catch((error: unknown) => {
    if (!(error instanceof UnauthorizedError)) throw error;
  });
  if (provider.sentTo === undefined) throw new Error('The assistant was not sent to the consent page.');
  const consent = (await browse(provider.sentTo)).headers.get('location') ?? '';
  await browse(`${consent}/details`);
  const { location } = (await (await browse(`${consent}/decision`, { decision: 'allow' })).json()) as {
    location: string;
  };
  const back = new URL((await browse(location)).headers.get('location') ?? '');
  await first.transport.finishAuth(back.searchParams);
  return async (tool) => {
    const { client, transport } = open();
    await client.connect(transport);
    const { isError, content } = await client.callTool({ name: tool, arguments: {} });
    await client.close();
    if (isError) throw new Error(`${tool} failed: ${JSON.stringify(content)}`);
  };
};
