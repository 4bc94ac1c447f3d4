import 'reflect-metadata';
import { createVerifier, SignatureError, signatureHeader } from '@chairside/signing';
import { Controller, HttpCode, Module, Post, type RawBodyRequest, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';

const webhooks = createVerifier({ secret: process.env.CHAIRSIDE_WEBHOOK_SECRET });

@Controller('webhooks')
class WebhooksController {
  @Post()
  @HttpCode(204)
  receive(@Req() request: RawBodyRequest<Request>, @Res({ passthrough: true }) response: Response) {
    try {
      // Without the option `rawBody` below, there is no raw body, and `unwrap` reports that.
      const body = request.rawBody as Buffer;
      const event = webhooks.unwrap({ body, header: signatureHeader(request) });
      console.log(event.event, event.id); // put your work into a queue here, and respond at once
      return;
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      console.warn(error);
      response.status(400).type('text');
      return error.code;
    }
  }
}

@Module({ controllers: [WebhooksController] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true });
app.useBodyParser('json', { limit: '1mb' }); // the default of 100 kB is less than the largest webhook
await app.listen(process.env.PORT ?? 3000);
