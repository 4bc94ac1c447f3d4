export interface WebhookEvent {
  readonly id: string;
  readonly event: string;
  readonly timestamp: number;
  readonly data: unknown;
}
