import { type FeatureName, features as releaseFeatures } from '../api/features/features.ts';
import { createOpenApi } from '../api/openapi/index.ts';
import type { VersionInfo } from '../api/types/version.ts';
import type { Soon } from '../base/async/index.ts';
import { type FeatureGates, createFeatureGates } from '../base/feature-gates/feature-gates.ts';
import type { HttpResponse } from '../base/http/index.ts';
import { type Metrics, createMetrics } from '../base/metrics/index.ts';
import { createAdmissionMetrics, createAdmissionStepMetrics } from './admission/measured.ts';
import { type Aggregator, createAggregator } from './aggregation/aggregator.ts';
import { createComponentStatuses } from './aggregation/component-statuses.ts';
import { type Auditor, createAuditor } from './audit/auditor.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { createDiscovery } from './discovery/documents.ts';
import { type Endpoints, createEndpoints } from './discovery/endpoints.ts';
import type { ExternalGroupVersion } from './discovery/external.ts';
import { SERVED_RELEASE, versionInfo } from './discovery/version-info.ts';
import { createConversionMetrics } from './extensions/conversion-metrics.ts';
import { type Extensions, createExtensions } from './extensions/extensions.ts';
import { createWebhookConversion } from './extensions/webhook-conversion.ts';
import { goTypeOf } from './go-type.ts';
import type { Next } from './http/pipeline.ts';
import { createResources } from './http/resources/resources.ts';
import { createDeadline } from './http/stages/deadline.ts';
import { createListMetrics, createWatchMetrics } from './list-metrics.ts';
import { createRegistry } from './registry/create-registry.ts';
import type { Registry } from './registry/registry.ts';
import { type OnAdmission, storagePrefix } from './registry/resource.ts';
import type { AdmissionPlugin, Authorizer, RequestContext, RequestInfo } from './request.ts';
import { type RequestLimiter, createRequestLimiter } from './request-limits.ts';
import { createRequestPipeline } from './request-pipeline.ts';
import { createServerHealth } from './server-health.ts';
import type { ServerLife } from './server-life.ts';
import { createServerMetrics } from './server-metrics.ts';
import { type ApiServerOptions, made } from './server-options.ts';
import { createMeasuredStorage } from './storage-metrics.ts';
import { createConnector } from './subresources/connect.ts';
import { createCustomScale } from './subresources/scale.ts';

const NONE: readonly ExternalGroupVersion[] = [];
const DEFAULT_TIMEOUT_MS = 60_000;

/** Parts of a server that depend on its options alone. */
interface Basis {
  readonly options: ApiServerOptions;
  readonly features: FeatureGates<FeatureName>;
  readonly catalogue: Catalogue;
  readonly version: VersionInfo;
  readonly metrics: Metrics;
  readonly onAdmission: OnAdmission;
}

/**
 * Parts for the objects of a server: the registry of its store, with admission plugins, and the custom kinds.
 */
interface Objects extends Basis {
  readonly registry: Registry;
  readonly extensions: Extensions;
}

/** Parts of a server that handle requests. */
interface Services extends Objects {
  readonly aggregator: Aggregator | undefined;
  readonly deadline: ReturnType<typeof createDeadline>;
  readonly auditor: Auditor | undefined;
  readonly limiter: RequestLimiter | undefined;
}

/** All parts of a server. */
export interface ServerParts extends Services {
  readonly pipeline: Next;
}

/**
 * Creates the parts of a server in one direction: each function receives the existing parts and adds its own.
 * Starts nothing.
 */
export function createServerParts(options: ApiServerOptions, life: ServerLife): ServerParts {
  const services = createServices(createObjects(createBasis(options)));
  return { ...services, pipeline: createPipeline(services, life) };
}

function createBasis(options: ApiServerOptions): Basis {
  const { serves, gitVersion = SERVED_RELEASE, showHiddenMetrics: showHidden = false } = options;
  const version = versionInfo(gitVersion);
  const metrics = createMetrics({ release: `${version.major}.${version.minor}`, showHidden });
  return {
    options,
    features: options.features ?? createFeatureGates(releaseFeatures),
    catalogue: createCatalogue({ builtIn: options.scheme, ...(serves && { serves }) }),
    version,
    metrics,
    onAdmission: createAdmissionStepMetrics(metrics),
  };
}

function createObjects(basis: Basis): Objects {
  const { options, catalogue, metrics } = basis;
  const { environment, webhooks } = options;
  const registry = createObjectRegistry(basis);
  const extensions = createExtensions({
    registry,
    catalogue,
    environment,
    converterOf: createWebhookConversion({
      vocabulary: catalogue.kept.vocabulary,
      random: environment.random,
      caller: webhooks && made(webhooks, registry, metrics),
      measured: createConversionMetrics(metrics, environment.clock),
    }),
  });
  return { ...basis, registry, extensions };
}

function createObjectRegistry(basis: Basis): Registry {
  const { options, features, catalogue, metrics, onAdmission } = basis;
  const { storage, environment, allowPrivileged, shortestWatchMs } = options;
  const { clock } = environment;
  const scheme = catalogue.kept;
  return createRegistry({
    storage: createMeasuredStorage({
      storage,
      metrics,
      clock,
      types: new Map(scheme.kinds.map((kind) => [storagePrefix(scheme, kind), goTypeOf(kind)])),
    }),
    scheme,
    environment,
    enabled: features.enabled,
    ...(allowPrivileged !== undefined && { allowPrivileged }),
    admission: (registry) => pluginsOf(basis, registry).map(createAdmissionMetrics(metrics, clock)),
    onAdmission,
    onList: createListMetrics(metrics),
    onWatch: createWatchMetrics(metrics),
    ...(shortestWatchMs !== undefined && { shortestWatchMs }),
  });
}

function pluginsOf(
  { options: { admission = [] }, metrics, catalogue }: Basis,
  registry: Registry,
): readonly AdmissionPlugin[] {
  return typeof admission === 'function' ? admission(registry, metrics, catalogue) : admission;
}

function createServices(objects: Objects): Services {
  const { options, catalogue, features, metrics, registry, version } = objects;
  const { clock } = options.environment;
  createServerMetrics({
    metrics,
    product: catalogue.kept.vocabulary.product,
    version,
    features,
    registry,
  });
  return {
    ...objects,
    aggregator: createAggregation(objects),
    deadline: createDeadline({ clock, limitMs: options.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS }),
    auditor: options.audit && createAuditor({ ...options.audit(metrics), metrics, clock }),
    limiter: createLimiter(objects),
  };
}

function createAggregation({ options, catalogue, metrics, registry }: Objects): Aggregator | undefined {
  const { aggregation, environment, scheme } = options;
  if (aggregation === undefined) return undefined;
  return createAggregator({
    ...made(aggregation, registry, metrics),
    registry,
    environment,
    metrics,
    builtIn: scheme,
    kinds: catalogue,
  });
}

function createLimiter(objects: Objects): RequestLimiter | undefined {
  const { options, catalogue, features, metrics, registry } = objects;
  const { limits, environment, requestTimeoutMs = DEFAULT_TIMEOUT_MS } = options;
  if (limits === undefined) return undefined;
  const { enabled } = features;
  return createRequestLimiter({
    limits: { ...limits, fair: limits.fair && enabled('APIPriorityAndFairness') },
    registry,
    metrics,
    environment,
    vocabulary: catalogue.kept.vocabulary,
    enabled,
    requestTimeoutMs,
  });
}

/**
 * Creates the request pipeline. Its last stage passes requests to the resources or to the other endpoints.
 */
function createPipeline(services: Services, life: ServerLife): Next {
  const { options, features, catalogue, metrics, registry, deadline, auditor, limiter, aggregator } =
    services;
  const { environment, identityHeaders, storage } = options;
  const authorizer = made(options.authorizer, registry, metrics);
  const resources = createServerResources(services, authorizer);
  const endpoints = createServerEndpoints(services, life);
  return createRequestPipeline(
    {
      scheme: catalogue.kept,
      environment,
      metrics,
      features,
      ready: () => life.isServing,
      deadline,
      mounts: options.mounts ?? [],
      auditor,
      authenticators: made(options.authenticators, registry, metrics),
      identityHeaders,
      stages: made(options.stages ?? [], registry, metrics),
      limiter: limiter?.stage,
      authorizer,
      aggregator: aggregator?.stage,
      storage,
    },
    (context) => dispatch(context, resources, endpoints),
  );
}

function createServerResources(services: Services, authorizer: Authorizer): Next {
  const { options, catalogue, metrics, registry, onAdmission } = services;
  const { environment } = options;
  return createResources({
    scheme: catalogue.kept,
    registry,
    virtual: made(options.virtual ?? [], registry, metrics),
    virtualOf: createCustomScale(registry, catalogue.kept.vocabulary),
    computed: [createComponentStatuses(options.components ?? [])],
    clock: environment.clock,
    authorizer,
    onAdmission,
    connect: createConnector({
      registry,
      outbound: options.outbound,
      random: environment.random,
      nodeAgents: options.nodeAgents,
      policy: options.dialPolicy,
    }),
  });
}

function createServerEndpoints(services: Services, life: ServerLife): Endpoints {
  const { options, features, catalogue, metrics, version, extensions, aggregator, limiter } = services;
  const { serverAddress, storage, healthChecks, documents } = options;
  const scheme = catalogue.served;
  const external = (): readonly ExternalGroupVersion[] => aggregator?.external() ?? NONE;
  return createEndpoints({
    enabled: features.enabled,
    scheme,
    discovery: createDiscovery(scheme, external),
    external,
    openApi: createOpenApi(scheme, {
      version: version.gitVersion,
      returnsDeleted: (kind) => kind.policy.returnsDeleted,
      documents: documents ?? [],
      onUnpublishable: (kind, why) => extensions.unpublishable(kind, why),
    }),
    health: createServerHealth({
      storage,
      healthChecks,
      life,
      steps: [
        'registry',
        'extensions',
        'bootstrap',
        ...(limiter ? (['flowcontrol'] as const) : []),
        ...(aggregator ? (['aggregation'] as const) : []),
      ],
      vocabulary: options.scheme.vocabulary,
    }),
    metrics,
    version,
    serverAddress,
    documents,
    debug: (path, query) => limiter?.debug(path, query),
  });
}

/** Passes a request to the resources, or to the other endpoints if its path is no known resource. */
function dispatch(context: RequestContext, resources: Next, endpoints: Endpoints): Soon<HttpResponse> {
  const { info } = context;
  if (!info.isResourceRequest || isMisplaced(info)) return endpoints.respond(context);
  if (context.kind === undefined) return endpoints.unknownResource(context);
  return resources(context);
}

/**
 * True for paths without resources: those that start with an empty segment, and the core group below `/apis`.
 */
const isMisplaced = ({ path, group }: RequestInfo): boolean =>
  path.startsWith('//') || (group === '' && path.startsWith('/apis/'));
