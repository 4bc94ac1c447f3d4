import {
  createSigner,
  createVerifier,
  type HeaderSource,
  SignatureError,
  type SignatureErrorCode,
  signatureHeader,
  unwrap,
  verify,
  type WebhookEvent,
} from '@chairside/signing';
import * as web from '@chairside/signing/web';

declare const env: Record<string, string | undefined>;
declare const headers: Record<string, string | string[] | undefined>;
declare const body: Uint8Array;

const secret = env.SECRET;
const source: HeaderSource = { headers };
const verified: { timestamp: number } = verify({ body, header: signatureHeader(source), secret });
const late: Promise<{ readonly timestamp: number }> = web.verify({
  body,
  header: headers.any,
  secret,
  tolerance: false,
});
const header: string = createSigner({ secret: ['one', 'two'] }).sign({ body, timestamp: verified.timestamp });

export function describe(event: WebhookEvent): string | undefined {
  switch (event.event) {
    case 'patient.created':
      return event.data.name;
    case 'appointment.updated':
      return event.data.procedures[0]?.name;
    case 'invoice.paid':
      return event.data.total.toFixed(2);
    case 'payment.refunded':
      return event.data.method;
    default:
      // @ts-expect-error the other events do not have this field
      return event.data.method;
  }
}

describe(unwrap({ body, header, secret }));
late.catch((error: unknown) => {
  if (error instanceof SignatureError) {
    const code: SignatureErrorCode = error.code;
    return code;
  }
  throw error;
});

// @ts-expect-error a parsed body
verify({ body: { id: 1 }, header, secret });
// @ts-expect-error no secret
createVerifier({});
// @ts-expect-error true is not a tolerance
createVerifier({ secret, tolerance: true });
// @ts-expect-error the web entry returns a promise
web.verify({ body, header, secret }).timestamp;
