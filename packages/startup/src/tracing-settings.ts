import { z } from 'zod';

const endpoint = z
  .string()
  .refine(
    (value) => value === '' || /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
    'must be a URL that starts with http:// or https://',
  );

/**
 * The variables of OpenTelemetry that enable or disable tracing. OpenTelemetry reads them itself too, with all its
 * other variables.
 */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint
    .prefault('')
    .describe(
      'URL of the OTLP endpoint for traces. The other variables of OpenTelemetry apply too: see [watch](operation/watch.md#traces)',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint
    .prefault('')
    .describe('Endpoint for traces only, with the complete path'),
  OTEL_TRACES_EXPORTER: z
    .enum(['', 'otlp', 'none'], { error: 'must be otlp or none' })
    .prefault('')
    .describe(
      '`otlp` enables tracing even if no endpoint is set: traces go to localhost. `none` disables tracing',
    ),
  OTEL_SDK_DISABLED: z
    .string()
    .regex(/^(true|false)?$/i, 'must be true or false')
    .prefault('')
    .describe('`true` disables tracing'),
};

/** Whether the settings enable tracing. */
export const isTracingWanted = (
  settings: Readonly<Record<keyof typeof tracingSettings, string>>,
): boolean => {
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = settings;
  if (disabled.toLowerCase() === 'true' || exporter === 'none') return false;
  return [exporter, settings.OTEL_EXPORTER_OTLP_ENDPOINT, settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT].some(
    (value) => value !== '',
  );
};
