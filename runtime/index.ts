export { defineController, watch } from './controller/define.ts';
export type { DefinitionErrorCode, WatchDeclaration } from './controller/define.ts';
export type {
  ControllerContext,
  ControllerDefinition,
  Effect,
  Effects,
  PassInput,
  PassOutput,
  Watch,
} from './controller/controller.ts';
export { createController } from './controller/run-controller.ts';
export type { ControllerDependencies, RunningController } from './controller/run-controller.ts';
export { createControllerManager } from './controller/controller-manager.ts';
export type {
  ControllerManager,
  ControllerManagerOptions,
  ControllerState,
} from './controller/controller-manager.ts';
export { selectControllers } from './controller/selection.ts';
export { createRequestMetrics } from './client/request-metrics.ts';
export { createControllerMetrics } from './controller/metrics.ts';
export type { ControllerMetrics } from './controller/metrics.ts';
export {
  controllerIndex,
  controllerOf,
  controllerReference,
  keysOfController,
} from './controller/ownership.ts';
export { createOwnWrites } from './controller/own-writes.ts';
export type { OwnWrites } from './controller/own-writes.ts';

export { ActorTable } from './actors/actor-table.ts';
export type { ActorTableOptions } from './actors/actor-table.ts';
export { toActors } from './actors/effects.ts';
export { toXStateClock } from './actors/xstate-clock.ts';

export { createJournal, offJournal } from './journal/journal.ts';
export type {
  Journal,
  JournalEntry,
  JournalEvent,
  JournalKind,
  JournalOptions,
  JournalQuery,
} from './journal/journal.ts';

export { createMemoryQueues } from './queue/memory-queue.ts';
export type { MemoryQueuesOptions } from './queue/memory-queue.ts';
export { createBullmqQueues } from './queue/bullmq-queue.ts';
export type { BullmqQueuesOptions } from './queue/bullmq-queue.ts';
export type {
  PassInfo,
  QueueStats,
  WorkQueue,
  WorkQueueFactory,
  WorkQueueOptions,
} from './queue/work-queue.ts';

export type {
  CallOptions,
  Client,
  DeleteOptions,
  Lister,
  ListOf,
  ListOptions,
  PatchType,
  RawAnswer,
  RawRequest,
  ResourceClient,
  SelectOptions,
  SubresourceClient,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client/client.ts';
export type { Transport, TransportRequest, TransportResponse } from './client/transport.ts';
export { createClient } from './client/rest-client.ts';
export type { ClientSettings } from './client/rest-client.ts';
export type { ClientConfig, TlsConfig } from './client/client-config.ts';
export { ClientError, isClientError } from './client/client-error.ts';
export type { ClientErrorCode } from './client/client-error.ts';
export { createInMemoryTransport } from './client/in-memory-transport.ts';
export { createUndiciTransport } from './client/undici-transport.ts';
export { discover, kindOf } from './client/discovery.ts';
export type { Discovered, DiscoveredResource } from './client/discovery.ts';
export { loadKubeconfig } from './client/kubeconfig.ts';
export { loadInClusterConfig } from './client/in-cluster.ts';

export type { Informer, InformerHandler, Informers, InformerScope, Store } from './informer/informer.ts';
export { createInformers } from './informer/informers.ts';
export type { InformersOptions, RunningInformers } from './informer/informers.ts';

export type { EventRecorder } from './events/recorder.ts';
export { createEventRecorder } from './events/event-recorder.ts';
export type { EventRecorderOptions, RunningEventRecorder } from './events/event-recorder.ts';
