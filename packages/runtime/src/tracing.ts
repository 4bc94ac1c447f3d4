import { z } from 'zod';

/** Names and values that describe a span: ids, routes, counts and causes, never anything of a patient. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** Something that takes time, as a tracing system is told of it. */
export type Span = {
  set(attributes: SpanAttributes): void;
  /** Does work that is a part of this span; `Tracer.startPart` finds it, also in what the work awaits. */
  within<T>(work: () => T): T;
  /**
   * @param failure the kind of failure it ended with, if it did: a name, not a message
   * @param time when it ended, if not just now
   */
  end(failure?: string, time?: Date): void;
};

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer';

/** Tells a tracing system what happens. Where none is wanted there is no tracer. */
export type Tracer = {
  /** @param begun when it began, if not just now */
  start(name: string, kind: SpanKind, attributes: SpanAttributes, begun?: Date): Span;
  /** A part of the span that is under way here; undefined where there is none. */
  startPart(name: string, kind: SpanKind, attributes: SpanAttributes): Span | undefined;
};

const endpoint = z
  .string()
  .refine(
    (value) => value === '' || /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
    'must be a URL that starts with http:// or https://',
  );

/** Variables of OpenTelemetry that say whether there is tracing; its own package reads them again, with all others. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint
    .prefault('')
    .describe(
      'URL of the OTLP endpoint for traces. The other variables of OpenTelemetry apply too: [operation](operation.md#traces)',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint
    .prefault('')
    .describe('The same for traces only, with the whole path'),
  OTEL_TRACES_EXPORTER: z
    .enum(['', 'otlp', 'none'], { error: 'must be otlp or none' })
    .prefault('')
    .describe('`otlp` exports traces also without an endpoint (to localhost), `none` never'),
  OTEL_SDK_DISABLED: z
    .string()
    .regex(/^(true|false)?$/i, 'must be true or false')
    .prefault('')
    .describe('`true` disables tracing'),
};

/** Whether an operator has asked for traces. */
export const isTracingWanted = (
  settings: Readonly<Record<keyof typeof tracingSettings, string>>,
): boolean => {
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = settings;
  if (disabled.toLowerCase() === 'true' || exporter === 'none') return false;
  return [exporter, settings.OTEL_EXPORTER_OTLP_ENDPOINT, settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT].some(
    (value) => value !== '',
  );
};
