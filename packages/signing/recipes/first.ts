import { signatureHeader, unwrap } from '@chairside/signing';

export function receive(body: Buffer, headers: Record<string, string | string[] | undefined>) {
  const secret = process.env.CHAIRSIDE_WEBHOOK_SECRET;
  const event = unwrap({ body, header: signatureHeader(headers), secret });
  if (event.event === 'patient.created') console.log(event.data.name);
}
