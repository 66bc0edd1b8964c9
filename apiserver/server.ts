import { type FeatureName, features } from '../api/features/features.ts';
import type { AnyKind, Scheme } from '../api/kinds/scheme.ts';
import { createOpenApi } from '../api/openapi/documents.ts';
import { badRequest } from '../api/status/api-error.ts';
import { type Soon, orElse, whenThere } from '../base/async/soon.ts';
import type { Environment } from '../base/environment.ts';
import { type FeatureGates, createFeatureGates } from '../base/feature-gates/feature-gates.ts';
import { type HttpHandler, type HttpRequest, type HttpResponse, firstHeader } from '../base/http/message.ts';
import type { Outbound } from '../base/http/outbound.ts';
import type { Lifetime } from '../base/lifetime/lifetimes.ts';
import { type Metrics, createMetrics } from '../base/metrics/metrics.ts';
import { type Aggregator, type AggregatorOptions, createAggregator } from './aggregation/aggregator.ts';
import { type ComponentCheck, createComponentStatuses } from './aggregation/component-statuses.ts';
import { createAdmissionMetrics, createAdmissionStepMetrics } from './admission/measured.ts';
import type { IdentityHeaders } from './auth/request-header.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { type Auditor, type AuditorOptions, createAuditor } from './audit/auditor.ts';
import { NO_TRAIL } from './audit/trail.ts';
import { createDiscovery } from './discovery/documents.ts';
import type { ExternalGroupVersion } from './discovery/external.ts';
import type { FixedDocument } from './discovery/fixed-documents.ts';
import { type Endpoints, type VersionInfo, createEndpoints } from './discovery/endpoints.ts';
import type { Health, HealthCheck } from './discovery/health.ts';
import { createExtensions } from './extensions/extensions.ts';
import { createConversionMetrics } from './extensions/conversion-metrics.ts';
import { createWebhookConversion } from './extensions/webhook-conversion.ts';
import { NOBODY, type Next, type Stage, compose } from './http/pipeline.ts';
import { MalformedPath, parseRequestInfo } from './http/request-info.ts';
import { createResources } from './http/resources.ts';
import { errorResponse, textResponse } from './http/responses.ts';
import { createAudit, createFailedAuthenticationAudit } from './http/stages/audit.ts';
import { createAuthentication } from './http/stages/authentication.ts';
import { createAuthorization } from './http/stages/authorization.ts';
import { createDeadline } from './http/stages/deadline.ts';
import { createDeprecation } from './http/stages/deprecation.ts';
import { createGuard } from './http/stages/guard.ts';
import { refuseForeignPages } from './http/stages/origin.ts';
import { createMilestones } from './http/stages/milestones.ts';
import { type Mount, createMounts } from './http/stages/mounts.ts';
import { createObservation } from './http/stages/observation.ts';
import { createReadiness } from './http/stages/readiness.ts';
import { createWriteConditionsStage } from './http/stages/write-conditions.ts';
import type { VirtualHandler } from './http/virtual.ts';
import { withStandardHeaders } from './http/standard-headers.ts';
import type { WebhookCaller } from './outbound/webhook-caller.ts';
import { createRegistry } from './registry/create-registry.ts';
import type { OnAdmission } from './registry/resource.ts';
import type { Registry } from './registry/registry.ts';
import { type RequestLimiter, type RequestLimits, createRequestLimiter } from './request-limits.ts';
import { createListMetrics, createWatchMetrics } from './list-metrics.ts';
import { createServerMetrics } from './server-metrics.ts';
import type { Storage } from './storage/storage.ts';
import { createConnector } from './subresources/connect.ts';
import { createCustomScale } from './subresources/scale.ts';
import type { AdmissionPlugin, Authenticator, Authorizer, RequestContext, RequestInfo } from './request.ts';

/**
 * A part as it is, or made from the registry once that is there: an authorizer reads roles, a plugin namespaces. What it
 * counts it counts in the server's metrics.
 */
export type FromRegistry<T> = T | ((registry: Registry, metrics: Metrics) => T);

export interface ApiServerOptions {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly storage: Storage;
  /** Asked in this order; the anonymous one, if any, last. */
  readonly authenticators: FromRegistry<readonly Authenticator[]>;
  /** Headers by which an authenticating proxy says who asks; no later part of the server sees them. */
  readonly identityHeaders?: IdentityHeaders | undefined;
  readonly authorizer: FromRegistry<Authorizer>;
  /** A function is given the kinds of the present besides, custom ones included. */
  readonly admission?:
    | readonly AdmissionPlugin[]
    | ((
        registry: Registry,
        metrics: Metrics,
        kinds: Pick<Catalogue, 'kept' | 'served'>,
      ) => readonly AdmissionPlugin[]);
  /** Stages between authentication and authorization: impersonation, and whatever else replaces the user. */
  readonly stages?: FromRegistry<readonly Stage[]>;
  readonly virtual?: FromRegistry<readonly VirtualHandler[]>;
  /**
   * What is recorded of requests and where it goes; default nothing is. The back end starts and stops with the server: no
   * event that was sent before the stop is lost by it.
   */
  readonly audit?: (metrics: Metrics) => Pick<AuditorOptions, 'policy' | 'backend'>;
  /** Run in order once the registry has started, before the server is ready; a rejection fails the start. */
  readonly bootstrap?: readonly ((registry: Registry) => Promise<void>)[];
  /** Which kinds clients can reach; default all. The others are kept, and answered as if there were no such path. */
  readonly serves?: (kind: AnyKind) => boolean;
  /** Which features are on; default as the release has them. */
  readonly features?: FeatureGates<FeatureName>;
  /** Whether metrics are shown that this release hides and the one before it did not; default not. */
  readonly showHiddenMetrics?: boolean;
  /** Shown by `/version`; default `v1.24.17`. */
  readonly gitVersion?: string;
  /** `host:port` that `/api` names; default the host a client asked. */
  readonly serverAddress?: string;
  /** Carries requests to pods, services and the agents of nodes; without it these are not reached. */
  readonly outbound?: Outbound | undefined;
  /** Further documents to serve, each at a path of its own. */
  readonly documents?: readonly FixedDocument[];
  /** Paths that other parts of the process answer; default none. */
  readonly mounts?: readonly Mount[] | undefined;
  /** Further checks of `/healthz`, `/livez` and `/readyz`. */
  readonly healthChecks?: readonly HealthCheck[];
  /** Asks conversion webhooks; without it a custom kind that needs one cannot be converted. */
  readonly webhooks?: FromRegistry<WebhookCaller>;
  /** How requests for group versions of other servers reach them; without it API services are objects like any other. */
  readonly aggregation?: FromRegistry<Aggregation>;
  /** Parts of the cluster whose health component statuses show; default none. */
  readonly components?: readonly ComponentCheck[];
  /** How many requests are served at a time; default any number. */
  readonly limits?: RequestLimits;
  /** Milliseconds a request may take that is no watch; default 60 000. */
  readonly requestTimeoutMs?: number;
  /** Shortest of the lives the server chooses for a watch, milliseconds; default half an hour. */
  readonly shortestWatchMs?: number;
}

export type Aggregation = Pick<AggregatorOptions, 'outbound' | 'resolve' | 'credential'>;

/** An API server without sockets: a function from request to response, and a lifetime. */
export interface ApiServer extends Lifetime {
  readonly handler: HttpHandler;
  readonly registry: Registry;
  readonly metrics: Metrics;
  /** Started, bootstrapped and not stopped. */
  readonly ready: boolean;
}

const NOTHING: readonly ExternalGroupVersion[] = [];
const DEFAULT_VERSION = 'v1.24.17';
const DEFAULT_TIMEOUT_MS = 60_000;

/** Puts the parts together; nothing runs before `start`. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  return new AssembledServer(options);
}

class AssembledServer implements ApiServer {
  readonly name = 'api server';
  readonly registry: Registry;
  readonly metrics: Metrics;
  readonly handler: HttpHandler;
  readonly #options: ApiServerOptions;
  readonly #catalogue: Catalogue;
  readonly #extensions: Lifetime;
  readonly #aggregator: Aggregator | undefined;
  readonly #auditor: Auditor | undefined;
  readonly #limiter: RequestLimiter | undefined;
  readonly #answer: Next;
  readonly #deadline: ReturnType<typeof createDeadline>;
  readonly #features: FeatureGates<FeatureName>;
  readonly #onAdmission: OnAdmission;
  #plugins: readonly AdmissionPlugin[] = [];
  #phase: 'new' | 'starting' | 'ready' | 'stopping' = 'new';

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#features = options.features ?? createFeatureGates(features);
    const { storage, environment, admission = [], serves, webhooks } = options;
    this.#catalogue = createCatalogue({ builtIn: options.scheme, ...(serves && { serves }) });
    const version = versionInfo(options.gitVersion ?? DEFAULT_VERSION);
    this.metrics = createMetrics({
      release: `${version.major}.${version.minor}`,
      showHidden: options.showHiddenMetrics ?? false,
    });
    const scheme = this.#catalogue.kept;
    this.#onAdmission = createAdmissionStepMetrics(this.metrics);
    this.registry = createRegistry({
      storage,
      scheme,
      environment,
      enabled: this.#features.enabled,
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
    this.#plugins = (
      typeof admission === 'function' ? admission(this.registry, this.metrics, this.#catalogue) : admission
    ).map(createAdmissionMetrics(this.metrics, environment.clock));
    this.#deadline = createDeadline({
      clock: environment.clock,
      limitMs: options.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
    this.#auditor = this.#auditorOf(options);
    this.#limiter = this.#limiterOf(options);
    this.#answer = this.#pipeline();
    this.handler = (request) => this.#handle(request);
  }

  get ready(): boolean {
    return this.#phase === 'ready';
  }

  async start(): Promise<void> {
    this.#phase = 'starting';
    await this.#auditor?.start();
    await this.registry.start();
    await this.#extensions.start();
    for (const run of this.#options.bootstrap ?? []) await run(this.registry);
    await this.#limiter?.start();
    await this.#aggregator?.start();
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

  #auditorOf({ audit, environment, scheme }: ApiServerOptions): Auditor | undefined {
    const { metrics } = this;
    const { clock } = environment;
    return audit && createAuditor({ ...audit(metrics), metrics, clock, vocabulary: scheme.vocabulary });
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
    const { environment } = this.#options;
    const scheme = this.#catalogue.kept;
    const authorizer = made(this.#options.authorizer, this.registry, this.metrics);
    const authenticators = made(this.#options.authenticators, this.registry, this.metrics);
    const stages = made(this.#options.stages ?? [], this.registry, this.metrics);
    const { clock, log } = environment;
    const { vocabulary } = scheme;
    const resources = createResources({
      scheme,
      registry: this.registry,
      virtual: made(this.#options.virtual ?? [], this.registry, this.metrics),
      virtualOf: createCustomScale(this.registry, vocabulary),
      computed: [createComponentStatuses(this.#options.components ?? [])],
      clock,
      authorizer,
      admission: () => this.#plugins,
      onAdmission: this.#onAdmission,
      connect: createConnector({
        registry: this.registry,
        outbound: this.#options.outbound,
        random: environment.random,
      }),
    });
    const endpoints = this.#endpoints();
    const { mounts = [] } = this.#options;
    const milestone = createMilestones(this.metrics, clock);
    return compose(
      [
        createObservation({ metrics: this.metrics, clock, log }),
        createGuard({ vocabulary, log }),
        createReadiness(() => this.#phase !== 'new' && this.#phase !== 'starting'),
        this.#deadline,
        createMounts(mounts.filter(({ open }) => open === true)),
        ...(this.#auditor === undefined ? [] : [createFailedAuthenticationAudit(this.#auditor)]),
        refuseForeignPages,
        milestone('authentication'),
        createAuthentication({
          authenticators,
          identityHeaders: this.#options.identityHeaders,
          vocabulary,
          log,
          metrics: this.metrics,
          clock,
        }),
        milestone('audit'),
        ...(this.#auditor === undefined ? [] : [createAudit(this.#auditor)]),
        milestone('impersonation'),
        ...stages,
        milestone('priorityandfairness'),
        ...(this.#limiter === undefined ? [] : [this.#limiter.stage]),
        milestone('authorization'),
        createAuthorization(authorizer, vocabulary),
        milestone(undefined),
        createMounts(mounts.filter(({ open }) => open !== true)),
        ...(this.#aggregator === undefined ? [] : [this.#aggregator.stage]),
        createDeprecation({ scheme, metrics: this.metrics }),
        ...(this.#features.enabled('ConditionalWrites')
          ? [createWriteConditionsStage({ scheme, storage: this.#options.storage, authorizer })]
          : []),
      ],
      (context) => dispatch(context, resources, endpoints),
    );
  }

  #endpoints(): Endpoints {
    const { gitVersion = DEFAULT_VERSION, serverAddress } = this.#options;
    const scheme = this.#catalogue.served;
    const external = (): readonly ExternalGroupVersion[] => this.#aggregator?.external() ?? NOTHING;
    return createEndpoints({
      enabled: this.#features.enabled,
      scheme,
      discovery: createDiscovery(scheme, external),
      external,
      openApi: createOpenApi(scheme, gitVersion),
      health: this.#health(),
      metrics: this.metrics,
      version: versionInfo(gitVersion),
      serverAddress,
      documents: this.#options.documents,
      debug: (path, query) => this.#limiter?.debug(path, query),
    });
  }

  #health(): Health {
    const { storage, healthChecks = [] } = this.#options;
    const always = (name: string): HealthCheck => ({ name, healthy: () => true });
    // Probes of the real system name this check, whatever the store is.
    const store: HealthCheck = {
      name: 'etcd',
      healthy: async () => {
        await storage.revision();
        return true;
      },
    };
    const cached: HealthCheck = { name: 'informer-sync', healthy: () => this.#phase !== 'new' };
    const started: HealthCheck = {
      name: 'poststarthook/bootstrap',
      healthy: () => this.#phase === 'ready' || this.#phase === 'stopping',
    };
    const live = [always('ping'), always('log'), store, ...healthChecks];
    return {
      livez: [...live, started],
      healthz: [...live, started],
      readyz: [...live, cached, started, { name: 'shutdown', healthy: () => this.#phase !== 'stopping' }],
    };
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
        this.#options.environment.log.error({ err: thrown, id }, 'pipeline failed by a defect');
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

const made = <T extends object>(part: FromRegistry<T>, registry: Registry, metrics: Metrics): T =>
  typeof part === 'function' ? part(registry, metrics) : part;

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

/** `v1.24.17` as `/version` spells it out. */
function versionInfo(gitVersion: string): VersionInfo {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node${process.versions.node}`,
    compiler: 'v8',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}
