export {
  DEFAULT_QUEUE_PREFIX,
  type EventConsumer,
  type EventProducer,
  openEventConsumer,
  openEventProducer,
  type QueueOptions,
} from './events.ts';
