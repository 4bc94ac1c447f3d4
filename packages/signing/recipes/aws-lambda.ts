import { createVerifier, SignatureError, signatureHeader } from '@chairside/signing';
import type { APIGatewayProxyEventV2, APIGatewayProxyResultV2 } from 'aws-lambda';

const webhooks = createVerifier({ secret: process.env.CHAIRSIDE_WEBHOOK_SECRET });

export async function handler(request: APIGatewayProxyEventV2): Promise<APIGatewayProxyResultV2> {
  try {
    const body = Buffer.from(request.body ?? '', request.isBase64Encoded ? 'base64' : 'utf8');
    const event = webhooks.unwrap({ body, header: signatureHeader(request) });
    console.log(event.event, event.id); // put your work into a queue here, and respond at once
    return { statusCode: 204 };
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    console.warn(error);
    return { statusCode: 400, body: error.code };
  }
}
