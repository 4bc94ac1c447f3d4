/** The attributes of a span, such as ids, routes, counts and causes. They must not contain patient data. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** A span: an operation with a duration, as reported to a tracing system. */
export type Span = {
  /** The id of its trace, which log lines contain. */
  traceId: string;
  set(attributes: SpanAttributes): void;
  /**
   * Runs work as a part of this span. `Tracer.startPart` then finds the span, even in asynchronous parts of the work.
   */
  within<T>(work: () => T): T;
  /**
   * @param failure the kind of failure, if the work failed: a name, not a message
   * @param time the end of the span; default: now
   */
  end(failure?: string, time?: Date): void;
};

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer';

/** Reports spans to a tracing system. If tracing is disabled, there is no tracer. */
export type Tracer = {
  /** @param startTime the start of the span; default: now */
  start(name: string, kind: SpanKind, attributes: SpanAttributes, startTime?: Date): Span;
  /** Starts a part of the current span; undefined if there is none. */
  startPart(name: string, kind: SpanKind, attributes: SpanAttributes): Span | undefined;
};
