import { expect, test } from 'vitest';
import { z } from 'zod';
import { isTracingWanted, tracingSettings } from './tracing-settings.ts';

const schema = z.object(tracingSettings);
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each([
  [{}, false],
  [endpoint, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' }, true],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
  [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }, false],
  [{ ...endpoint, OTEL_SDK_DISABLED: 'false' }, true],
])('with %j, tracing is enabled: %s', (environment, isWanted) => {
  expect(isTracingWanted(schema.parse(environment))).toBe(isWanted);
});

test('an endpoint must be a URL', () => {
  expect(schema.safeParse({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }).success).toBe(false);
});
