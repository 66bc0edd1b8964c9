export { defineController } from './controller/define.ts';
export type { DefinitionErrorCode } from './controller/define.ts';
export { generationChanged, keysOfLabel, watch } from './controller/watch.ts';
export type { WatchDeclaration } from './controller/watch.ts';
export { createObjectWrites, targetOf } from './controller/object-writes.ts';
export type { ObjectWrites, Target } from './controller/object-writes.ts';
export type {
  ControllerContext,
  ControllerDefinition,
  Effect,
  Effects,
  ReconcileInput,
  ReconcileOutput,
  Watch,
  FinishedReconcile,
} from './controller/controller.ts';
export { createController } from './controller/run-controller.ts';
export type {
  ControllerDependencies,
  Leadership,
  RunningController,
} from './controller/running-controller.ts';
export { createControllerManager } from './controller/controller-manager.ts';
export type {
  ControllerManager,
  ControllerManagerOptions,
  ControllerState,
} from './controller/controller-manager.ts';
export { selectControllers } from './controller/selection.ts';
export { type PluginMetrics, createPluginMetrics } from './client/plugin-metrics.ts';
export { createRequestMetrics } from './client/request-metrics.ts';
export { createControllerMetrics } from './controller/metrics.ts';
export type { ControllerMetrics } from './controller/metrics.ts';
export { type Metrics, exponentialBuckets } from '../base/metrics/index.ts';
export {
  controllerIndex,
  controllerOf,
  controllerReference,
  keysOfController,
} from './controller/ownership.ts';
export { createOwnWrites } from './controller/own-writes.ts';
export type { OwnWrites } from './controller/own-writes.ts';
export { createExpectations } from './controller/expectations.ts';
export type { Believed, CachedUids, Expectations } from './controller/expectations.ts';
export { slowStart } from './controller/slow-start.ts';

export { ActorTable } from './actors/actor-table.ts';
export type { ActorTableOptions } from './actors/actor-table.ts';
export { toActors } from './actors/effects.ts';
export { toXStateClock } from './actors/xstate-clock.ts';

export { createAttentionList, nameOf, objectRule } from './attention/index.ts';
export type {
  AttentionItem,
  AttentionList,
  AttentionOptions,
  AttentionRules,
  FailingKey,
  FailureRule,
  Finding,
  Found,
  ObjectLink,
  ObjectRule,
  RuleFacts,
} from './attention/index.ts';

export { offJournal } from './journal/journal.ts';
export { createJournal } from './journal/memory-journal.ts';
export { openJournalDirectory } from './journal/directory.ts';
export type {
  JournalDirectory,
  JournalDirectoryErrorCode,
  JournalDirectoryOptions,
} from './journal/directory.ts';
export { History } from './journal/history.ts';
export type { HistoryLimits, ReconcileEnd } from './journal/history.ts';
export type { JournalOptions } from './journal/memory-journal.ts';
export { createRequestJournal, requesterOf, resourceName } from './journal/requests.ts';
export { recordedJournal } from './journal/recorded.ts';
export { journalLines, readJournalFile } from './journal/file.ts';
export type { JournalFile, JournalFileErrorCode } from './journal/file.ts';
export type { Journal, JournalQuery } from './journal/journal.ts';
export type {
  JournalCause,
  JournalEntry,
  JournalEvent,
  JournalKind,
  JournalRequest,
} from './journal/entry.ts';

export { createTraceExporter } from './tracing/trace-exporter.ts';
export type { TraceExporter, TraceExporterOptions } from './tracing/trace-exporter.ts';
export { createSpanIds, traceparent } from './tracing/trace-context.ts';
export type { SpanContext, SpanIds } from './tracing/trace-context.ts';
export type { Requester } from './journal/requests.ts';

export type { LeaderElectionOptions } from './leaderelection/elected-controller.ts';
export { checkLeaseTiming } from './leaderelection/leader-elector.ts';
export type { LeaseTiming } from './leaderelection/leader-elector.ts';
export { fenceWrites, leaseHeld } from './leaderelection/lease-fence.ts';
export type { LeaseFence, LeaseTerm, TermPrecondition } from './leaderelection/lease-fence.ts';

export type { Replica } from './replicas/replicas.ts';

export { createMemoryQueues } from './queue/memory-queue.ts';
export type { MemoryQueuesOptions } from './queue/memory-queue.ts';
export { createBullmqQueues } from './queue/bullmq-queue.ts';
export type { BullmqQueuesOptions } from './queue/bullmq-queue.ts';
export type { RedisTls } from './queue/redis-url.ts';
export type {
  Notice,
  NoticeBoard,
  ReconcileInfo,
  QueueStats,
  WorkQueue,
  WorkQueueFactory,
  WorkQueueOptions,
} from './queue/work-queue.ts';

export type {
  CallOptions,
  Client,
  ConditionOptions,
  Dated,
  DeleteOptions,
  Lister,
  ListOf,
  ListOptions,
  PatchType,
  RawResponse,
  ReadOptions,
  RawRequest,
  ResourceClient,
  SelectOptions,
  SubresourceClient,
  WatchEvent,
  WatchOptions,
  WriteCondition,
  WriteOptions,
} from './client/client.ts';
export {
  type Transport,
  type TransportRequest,
  type TransportResponse,
  WholeBody,
} from './client/transport.ts';
export { createClient } from './client/rest-client.ts';
export type { ClientSettings } from './client/rest-client.ts';
export { createServerClock } from './client/server-clock.ts';
export type { ServerClock } from './client/server-clock.ts';
export { onAbort } from '../base/async/index.ts';
export type { ClientConfig, TlsConfig } from './client/client-config.ts';
export { ClientError, isClientError } from './client/client-error.ts';
export type { ClientErrorCode } from './client/client-error.ts';
export { createInMemoryTransport } from './client/in-memory-transport.ts';
export { createPortTransport } from './client/port-transport.ts';
export { createUndiciTransport } from './client/undici-transport.ts';
export { customKind } from './client/custom-kind.ts';
export type { CustomKind } from './client/custom-kind.ts';
export { isConditionFailed, supportsWriteConditions, unchanged } from './client/write-condition.ts';
export { negotiateVersions } from './client/negotiation.ts';
export { discover, kindOf } from './client/discovery.ts';
export type { Discovered, DiscoveredResource } from './client/discovery.ts';
export { type ClientIdentity, loadClientIdentity, loadKubeconfig } from './client/kubeconfig.ts';
export { loadInClusterConfig } from './client/in-cluster.ts';

export type {
  Informer,
  InformerHandler,
  InformerHold,
  Informers,
  InformerScope,
  Store,
} from './informer/informer.ts';
export { createInformers } from './informer/informers.ts';
export type { InformersOptions, RunningInformers } from './informer/informers.ts';
export type { InformerHealth, InformerMetrics } from './informer/informer-contract.ts';
export { createInformerMetrics } from './informer/informer-metrics.ts';
export { labelIndex, ownerIndex } from './informer/indexes.ts';

export { noEvents } from './events/recorder.ts';
export type { EventRecorder } from './events/recorder.ts';
export type { EventForm } from './events/event-correlator.ts';
export { createEventRecorder } from './events/event-recorder.ts';
export type { EventRecorderOptions, RunningEventRecorder } from './events/event-recorder.ts';

export { assembleControllerManager } from './program/assemble.ts';
export type { AssembledManager, AssemblyOptions } from './program/assemble.ts';
export { runControllers } from './program/run-controllers.ts';
export type { RunControllersOptions, RunningControllers, ServerAddress } from './program/run-controllers.ts';

export { type Clock, fromTime, sleep, toTime } from '../base/clock/index.ts';
export type { Environment } from '../base/environment.ts';
export type { LogFields, Logger } from '../base/log/index.ts';
