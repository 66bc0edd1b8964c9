import { type FeatureName, features } from '../api/features/features.ts';
import { createOpenApi } from '../api/openapi/index.ts';
import { badRequest } from '../api/status/index.ts';
import { type Soon, orElse, whenThere } from '../base/async/index.ts';
import type { Environment } from '../base/environment.ts';
import { type FeatureGates, createFeatureGates } from '../base/feature-gates/feature-gates.ts';
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  MalformedPath,
  firstHeader,
  textResponse,
} from '../base/http/index.ts';
import type { Lifetime } from '../base/lifetime/index.ts';
import { type Metrics, createMetrics } from '../base/metrics/index.ts';
import { type Aggregator, createAggregator } from './aggregation/aggregator.ts';
import { createComponentStatuses } from './aggregation/component-statuses.ts';
import { createAdmissionMetrics, createAdmissionStepMetrics } from './admission/measured.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { type Auditor, createAuditor } from './audit/auditor.ts';
import { NO_TRAIL } from './audit/trail.ts';
import { createDiscovery } from './discovery/documents.ts';
import type { ExternalGroupVersion } from './discovery/external.ts';
import { type Endpoints, createEndpoints } from './discovery/endpoints.ts';
import { type Extensions, createExtensions } from './extensions/extensions.ts';
import { createConversionMetrics } from './extensions/conversion-metrics.ts';
import { createWebhookConversion } from './extensions/webhook-conversion.ts';
import { NOBODY, type Next } from './http/pipeline.ts';
import { parseRequestInfo } from './http/request-info.ts';
import { createResources } from './http/resources.ts';
import { errorResponse } from './http/responses.ts';
import { createDeadline } from './http/stages/deadline.ts';
import { loggable } from './http/stages/guard.ts';
import { withStandardHeaders } from './http/standard-headers.ts';
import { createRegistry } from './registry/create-registry.ts';
import { PluginPhases } from './registry/write/plugin-phases.ts';
import type { OnAdmission } from './registry/resource.ts';
import type { Registry } from './registry/registry.ts';
import { type RequestLimiter, createRequestLimiter } from './request-limits.ts';
import { goTypeOf } from './go-type.ts';
import { createListMetrics, createWatchMetrics } from './list-metrics.ts';
import { storagePrefix } from './registry/resource.ts';
import { createMeasuredStorage } from './storage-metrics.ts';
import { patiently } from './storage/patience.ts';
import { createServerMetrics } from './server-metrics.ts';
import { createConnector } from './subresources/connect.ts';
import { createCustomScale } from './subresources/scale.ts';
import type { RequestContext, RequestInfo } from './request.ts';
import { type ApiServerOptions, type Aggregation, type FromRegistry, made } from './server-options.ts';
import { type Phase, type StartStep, createServerHealth } from './server-health.ts';
import { createRequestPipeline } from './request-pipeline.ts';
import { SERVED_RELEASE, versionInfo } from './discovery/version-info.ts';

export type { ApiServerOptions, FromRegistry } from './server-options.ts';

/** An API server without sockets: a function from request to response, and a lifetime. */
export interface ApiServer extends Lifetime {
  readonly handler: HttpHandler;
  readonly registry: Registry;
  readonly metrics: Metrics;
  /** Started, bootstrapped and not stopped. */
  readonly ready: boolean;
}

const NOTHING: readonly ExternalGroupVersion[] = [];
const DEFAULT_TIMEOUT_MS = 60_000;

/** Puts the parts together; nothing runs before `start`. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  return new AssembledServer(options);
}

class AssembledServer implements ApiServer {
  readonly name = 'api server';
  readonly registry: Registry;
  readonly metrics: Metrics;
  // As an initializer: the engine takes a function that is assigned for one that stays, and what it holds stays with it.
  readonly handler: HttpHandler = (request) => this.#handle(request);
  readonly #options: ApiServerOptions;
  readonly #catalogue: Catalogue;
  readonly #extensions: Extensions;
  readonly #aggregator: Aggregator | undefined;
  readonly #auditor: Auditor | undefined;
  readonly #limiter: RequestLimiter | undefined;
  readonly #answer: Next;
  readonly #deadline: ReturnType<typeof createDeadline>;
  readonly #features: FeatureGates<FeatureName>;
  readonly #onAdmission: OnAdmission;
  #plugins = new PluginPhases([]);
  readonly #started = new Set<StartStep>();
  #phase: Phase = 'new';

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#features = options.features ?? createFeatureGates(features);
    const { storage, environment, admission = [], serves, webhooks } = options;
    this.#catalogue = createCatalogue({ builtIn: options.scheme, ...(serves && { serves }) });
    const version = versionInfo(options.gitVersion ?? SERVED_RELEASE);
    this.metrics = createMetrics({
      release: `${version.major}.${version.minor}`,
      showHidden: options.showHiddenMetrics ?? false,
    });
    const scheme = this.#catalogue.kept;
    this.#onAdmission = createAdmissionStepMetrics(this.metrics);
    this.registry = createRegistry({
      storage: createMeasuredStorage({
        storage,
        metrics: this.metrics,
        clock: environment.clock,
        types: new Map(scheme.kinds.map((kind) => [storagePrefix(scheme, kind), goTypeOf(kind)])),
      }),
      scheme,
      environment,
      enabled: this.#features.enabled,
      ...(options.allowPrivileged !== undefined && { allowPrivileged: options.allowPrivileged }),
      admission: () => this.#plugins,
      onAdmission: this.#onAdmission,
      onList: createListMetrics(this.metrics),
      onWatch: createWatchMetrics(this.metrics),
      ...(options.shortestWatchMs !== undefined && { shortestWatchMs: options.shortestWatchMs }),
    });
    this.#extensions = createExtensions({
      registry: this.registry,
      catalogue: this.#catalogue,
      environment,
      converterOf: createWebhookConversion({
        vocabulary: scheme.vocabulary,
        random: environment.random,
        caller: webhooks && made(webhooks, this.registry, this.metrics),
        measured: createConversionMetrics(this.metrics, environment.clock),
      }),
    });
    this.#aggregator = this.#aggregatorOf(options.aggregation);
    createServerMetrics({
      metrics: this.metrics,
      product: scheme.vocabulary.product,
      version,
      features: this.#features,
      registry: this.registry,
    });
    const plugins =
      typeof admission === 'function' ? admission(this.registry, this.metrics, this.#catalogue) : admission;
    this.#plugins = new PluginPhases(plugins.map(createAdmissionMetrics(this.metrics, environment.clock)));
    this.#deadline = createDeadline({
      clock: environment.clock,
      limitMs: options.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
    this.#auditor = this.#auditorOf(options);
    this.#limiter = this.#limiterOf(options);
    this.#answer = this.#pipeline();
  }

  get ready(): boolean {
    return this.#phase === 'ready';
  }

  async start(): Promise<void> {
    const { bootstrap = [], environment } = this.#options;
    this.#phase = 'starting';
    await this.#auditor?.start();
    await this.registry.start();
    this.#started.add('registry');
    await this.#extensions.start();
    this.#started.add('extensions');
    for (const run of bootstrap) await patiently(environment, () => run(this.registry));
    this.#started.add('bootstrap');
    await this.#limiter?.start();
    this.#started.add('flowcontrol');
    await patiently(environment, async () => this.#aggregator?.start());
    this.#started.add('aggregation');
    this.#phase = 'ready';
  }

  async stop(): Promise<void> {
    this.#phase = 'stopping';
    this.#deadline.close();
    try {
      await this.#limiter?.stop();
      await this.#aggregator?.stop();
      await this.#extensions.stop();
      await this.registry.stop();
    } finally {
      await this.#auditor?.stop();
    }
  }

  #auditorOf({ audit, environment }: ApiServerOptions): Auditor | undefined {
    const { metrics } = this;
    const { clock } = environment;
    return audit && createAuditor({ ...audit(metrics), metrics, clock });
  }

  #limiterOf({ limits, environment, requestTimeoutMs = DEFAULT_TIMEOUT_MS }: ApiServerOptions) {
    if (limits === undefined) return undefined;
    const { registry, metrics } = this;
    const { vocabulary } = this.#catalogue.kept;
    const { enabled } = this.#features;
    const fair = limits.fair && enabled('APIPriorityAndFairness');
    return createRequestLimiter({
      limits: { ...limits, fair },
      registry,
      metrics,
      environment,
      vocabulary,
      enabled,
      requestTimeoutMs,
    });
  }

  #aggregatorOf(aggregation: FromRegistry<Aggregation> | undefined): Aggregator | undefined {
    if (aggregation === undefined) return undefined;
    const { environment, scheme } = this.#options;
    return createAggregator({
      ...made(aggregation, this.registry, this.metrics),
      registry: this.registry,
      environment,
      metrics: this.metrics,
      builtIn: scheme,
      kinds: this.#catalogue,
    });
  }

  #pipeline(): Next {
    const options = this.#options;
    const { registry, metrics } = this;
    const { environment } = options;
    const scheme = this.#catalogue.kept;
    const authorizer = made(options.authorizer, registry, metrics);
    const resources = createResources({
      scheme,
      registry,
      virtual: made(options.virtual ?? [], registry, metrics),
      virtualOf: createCustomScale(registry, scheme.vocabulary),
      computed: [createComponentStatuses(options.components ?? [])],
      clock: environment.clock,
      authorizer,
      admission: () => this.#plugins,
      onAdmission: this.#onAdmission,
      connect: createConnector({
        registry,
        outbound: options.outbound,
        random: environment.random,
        nodeAgents: options.nodeAgents,
        policy: options.dialPolicy,
      }),
    });
    const endpoints = this.#endpoints();
    return createRequestPipeline(
      {
        scheme,
        environment,
        metrics,
        features: this.#features,
        ready: () => this.#phase !== 'new' && this.#phase !== 'starting',
        deadline: this.#deadline,
        mounts: options.mounts ?? [],
        auditor: this.#auditor,
        authenticators: made(options.authenticators, registry, metrics),
        identityHeaders: options.identityHeaders,
        stages: made(options.stages ?? [], registry, metrics),
        limiter: this.#limiter?.stage,
        authorizer,
        aggregator: this.#aggregator?.stage,
        storage: options.storage,
      },
      (context) => dispatch(context, resources, endpoints),
    );
  }

  #endpoints(): Endpoints {
    const { gitVersion = SERVED_RELEASE, serverAddress, storage, healthChecks } = this.#options;
    const scheme = this.#catalogue.served;
    const external = (): readonly ExternalGroupVersion[] => this.#aggregator?.external() ?? NOTHING;
    return createEndpoints({
      enabled: this.#features.enabled,
      scheme,
      discovery: createDiscovery(scheme, external),
      external,
      openApi: createOpenApi(scheme, {
        version: gitVersion,
        returnsDeleted: (kind) => kind.policy.returnsDeleted,
        documents: this.#options.documents ?? [],
        onUnpublishable: (kind, why) => this.#extensions.unpublishable(kind, why),
      }),
      health: createServerHealth({
        storage,
        healthChecks,
        phase: () => this.#phase,
        steps: [
          'registry',
          'extensions',
          'bootstrap',
          ...(this.#limiter ? (['flowcontrol'] as const) : []),
          ...(this.#aggregator ? (['aggregation'] as const) : []),
        ],
        started: (step) => this.#started.has(step),
        vocabulary: this.#options.scheme.vocabulary,
      }),
      metrics: this.metrics,
      version: versionInfo(gitVersion),
      serverAddress,
      documents: this.#options.documents,
      debug: (path, query) => this.#limiter?.debug(path, query),
    });
  }

  #handle(request: HttpRequest): Soon<HttpResponse> {
    const id = requestId(request, this.#options.environment);
    const info = readInfo(request);
    if (info instanceof MalformedPath) {
      const context = this.#context(request, parseRequestInfo(request.method, '/'), id);
      const refusal = errorResponse(context, badRequest(info.message), this.#options.scheme.vocabulary);
      return withStandardHeaders(context, refusal);
    }
    const context = this.#context(request, info, id);
    const answer = orElse(
      () => this.#answer(context),
      (thrown) => {
        this.#options.environment.log.error(
          { err: loggable(thrown, context), id },
          'pipeline failed by a defect',
        );
        return textResponse(500, 'internal server error\n');
      },
    );
    return whenThere(answer, (response) => withStandardHeaders(context, response));
  }

  #context(http: HttpRequest, info: RequestInfo, id: string): RequestContext {
    const kind = info.isResourceRequest
      ? this.#catalogue.served.byResource(info.group, info.version, info.resource)
      : undefined;
    return {
      http,
      info,
      kind,
      user: NOBODY,
      audiences: [],
      warnings: [],
      id,
      audit: this.#auditor?.trail(http) ?? NO_TRAIL,
    };
  }
}

function dispatch(context: RequestContext, resources: Next, endpoints: Endpoints): Soon<HttpResponse> {
  const { info } = context;
  if (!info.isResourceRequest || isMisplaced(info)) return endpoints.answer(context);
  if (context.kind === undefined) return endpoints.unknownResource(context);
  return resources(context);
}

/** Nothing is served below an empty segment, and the core group under `/api` alone. */
const isMisplaced = ({ path, group }: RequestInfo): boolean =>
  path.startsWith('//') || (group === '' && path.startsWith('/apis/'));

function readInfo(request: HttpRequest): RequestInfo | MalformedPath {
  try {
    return parseRequestInfo(request.method, request.url);
  } catch (thrown) {
    if (thrown instanceof MalformedPath) return thrown;
    throw thrown;
  }
}

/** A client may name its request; the name is echoed and logged, so it must be short and plain. */
function requestId(request: HttpRequest, { random }: Environment): string {
  const given = firstHeader(request.headers, 'audit-id');
  return given !== undefined && /^[\x21-\x7e]{1,64}$/.test(given) ? given : random.uuid();
}
