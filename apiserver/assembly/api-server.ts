import { type FeatureName, enabledByDefault } from '../../api/features/features.ts';
import type { FeatureGates } from '../../base/feature-gates/feature-gates.ts';
import type { AnyKind, Scheme } from '../../api/kinds/scheme.ts';
import { endpoints, services } from '../../api/groups/core-v1-service.ts';
import { type AdmissionChoice, createAdmissionPlugins } from '../admission/chain.ts';
import type { TolerationSeconds } from '../admission/default-toleration-seconds.ts';
import type { ComponentCheck } from '../aggregation/component-statuses.ts';
import type { ProxyCredential } from '../aggregation/remote-peer.ts';
import { parseAddressRange } from '../allocation/ranges.ts';
import { createServiceAllocator } from '../allocation/service-allocator.ts';
import type { ServiceRanges } from '../allocation/service-allocation.ts';
import { createImpersonation } from '../auth/impersonation.ts';
import { createAccessReviewHandlers } from '../authorization/access-review.ts';
import { createEscalationCheck } from '../authorization/escalation.ts';
import { bootstrapCluster } from '../bootstrap/bootstrap.ts';
import type { RequestHeader } from '../bootstrap/root-objects.ts';
import { type ServiceResolver, createServiceResolver } from '../outbound/service-resolver.ts';
import type { Remote } from '../outbound/remote-review.ts';
import { createWebhookCaller } from '../outbound/webhook-caller.ts';
import type { Stage } from '../http/pipeline.ts';
import type { Mount } from '../http/stages/mounts.ts';
import type { Registry } from '../registry/registry.ts';
import { createSubresourceHandlers } from '../subresources/handlers.ts';
import type { RequestLimits } from '../request-limits.ts';
import { type ApiServer, type ApiServerOptions, createApiServer } from '../server.ts';
import type { Storage } from '../storage/storage.ts';
import type { Environment } from '../../base/environment.ts';
import type { Outbound } from '../../base/http/outbound.ts';
import type { Live } from '../../base/lifetime/reloaded.ts';
import { type AuthenticationSettings, assembleAuthentication } from './authentication.ts';
import { type AuthorizationSettings, assembleAuthorization } from './authorization.ts';
import { memoizedByRegistry } from './by-registry.ts';

/** What services are given from when nothing else is said, as upstream. */
const defaultServiceRanges: ServiceRanges = {
  addresses: [parseAddressRange('10.0.0.0/24')],
  nodePorts: { first: 30_000, last: 32_767 },
};

/** What an API server of a cluster is put together from; flags and files have been read. */
export interface AssemblyOptions extends AuthenticationSettings {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly storage: Storage;
  /** PEM of the CA of the serving certificate. */
  readonly serverCa: string;
  /** Where clients reach the server; asked once it starts. */
  readonly serverUrl: () => string;
  /** Default RBAC alone. */
  readonly authorization?: AuthorizationSettings;
  /** What services are given from; default 10.0.0.0/24 and ports 30000 to 32767. */
  readonly serviceRanges?: ServiceRanges;
  /** What is recorded of requests and where it goes; default nothing is. */
  readonly audit?: ApiServerOptions['audit'];
  /** Whether pods may have containers that are privileged; default true. */
  readonly allowPrivileged?: boolean;
  /** Which features are on; default as the release has them. */
  readonly features?: FeatureGates<FeatureName>;
  /** Carries requests of the server's own, to webhooks and other API servers; without it there are none. */
  readonly outbound?: Outbound;
  /** How the agents of nodes are reached; default as upstream's are by default. */
  readonly nodeAgents?: ApiServerOptions['nodeAgents'];
  /** What other API servers know this one by. */
  readonly proxyCredential?: Live<ProxyCredential>;
  /** Published, so that those servers can verify it. */
  readonly requestHeader?: Live<RequestHeader>;
  /** Parts of the cluster whose health component statuses show. */
  readonly components?: readonly ComponentCheck[];
  /** How many requests are served at a time; default 400 that read and 200 that write, shared out fairly. */
  readonly limits?: RequestLimits;
  /** Whether metrics are shown that this release hides and the one before it did not; default not. */
  readonly showHiddenMetrics?: boolean;
  /** Which admission plugins run, and how they are configured; default those that run by default. */
  readonly admission?: AdmissionChoice;
  /** Reads files that configurations name; default there are none. */
  readonly readFile?: (path: string) => string;
  /** The service that a client configuration file names; default there are none. */
  readonly remoteOf?: (path: string) => Remote;
  /** How long pods stay by default on nodes that fail; default as the plugin has it. */
  readonly tolerationSeconds?: TolerationSeconds;
  /** Milliseconds a request may take that is no watch; default a minute. */
  readonly requestTimeoutMs?: number;
  /** Shortest of the lives the server chooses for a watch, milliseconds; default half an hour. */
  readonly shortestWatchMs?: number;
  /** Paths that other parts of the process answer; default none. */
  readonly mounts?: readonly Mount[] | undefined;
  /** Which kinds clients can reach; default all. */
  readonly serves?: (kind: AnyKind) => boolean;
  /** The store is known to hold what every cluster has, as this server would make it; default it is made sure of. */
  readonly bootstrapped?: boolean;
  /** Stages that follow once it is settled who asks, before limits and authorization; default none. */
  readonly stages?: readonly Stage[];
}

/** The API server of a cluster, not started: authentication, authorization, admission and bootstrap in their places. */
export function assembleApiServer(options: AssemblyOptions): ApiServer {
  const { scheme, environment, storage } = options;
  const { vocabulary } = scheme;
  const { clock, random } = environment;
  const { serviceRanges = defaultServiceRanges } = options;
  const { authorization = { modes: ['RBAC'] }, outbound: sender } = options;
  const policy = memoizedByRegistry((registry) =>
    assembleAuthorization(registry, authorization, { vocabulary, environment, outbound: sender }),
  );
  const authentication = assembleAuthentication(
    // Who may do everything must at least be known.
    { ...options, anonymous: (options.anonymous ?? true) && !authorization.modes.includes('AlwaysAllow') },
    { vocabulary, environment, outbound: sender, serverUrl: options.serverUrl },
  );

  const resolver = memoizedByRegistry((registry) =>
    createServiceResolver({
      services: registry.reader(services),
      endpoints: registry.reader(endpoints),
      random,
    }),
  );

  return createApiServer({
    ...(options.components && { components: options.components }),
    ...(options.outbound && outboundParts(options, options.outbound, resolver)),
    nodeAgents: options.nodeAgents,
    scheme,
    environment,
    storage,
    ...(options.serves && { serves: options.serves }),
    ...(options.features && { features: options.features }),
    ...(options.allowPrivileged !== undefined && { allowPrivileged: options.allowPrivileged }),
    ...(options.audit && { audit: options.audit }),
    limits: options.limits ?? { maxInFlight: 400, maxMutatingInFlight: 200, fair: true },
    showHiddenMetrics: options.showHiddenMetrics ?? false,
    ...(options.requestTimeoutMs !== undefined && { requestTimeoutMs: options.requestTimeoutMs }),
    ...(options.shortestWatchMs !== undefined && { shortestWatchMs: options.shortestWatchMs }),
    authenticators: authentication.authenticators,
    identityHeaders: authentication.identityHeaders,
    documents: authentication.documents,
    mounts: options.mounts,
    authorizer: (registry) => policy(registry).authorizer,
    stages: (registry) => [
      createImpersonation({ authorizer: policy(registry).authorizer, vocabulary }),
      ...(options.stages ?? []),
    ],
    admission: (registry, metrics, kinds) => [
      ...createAdmissionPlugins(
        {
          ...environment,
          vocabulary,
          scheme: kinds.kept,
          served: kinds.served,
          metrics,
          enabled: options.features?.enabled ?? enabledByDefault,
          registry,
          objects: (kind) => registry.reader(kind),
          authorizer: policy(registry).authorizer,
          outbound: options.outbound,
          resolveService: resolver(registry),
          readFile: options.readFile ?? noFiles,
          remoteOf: options.remoteOf ?? noFiles,
          ...(options.tolerationSeconds && { tolerationSeconds: options.tolerationSeconds }),
        },
        options.admission,
      ),
      createEscalationCheck({ ...policy(registry), vocabulary }),
      createServiceAllocator({ services: registry.reader(services), ranges: serviceRanges, random }),
    ],
    virtual: (registry, metrics) => [
      ...authentication.virtual(registry, metrics),
      ...createAccessReviewHandlers(policy(registry).authorizer, vocabulary),
      ...createSubresourceHandlers({ registry, vocabulary, clock }),
    ],
    bootstrap: options.bootstrapped
      ? []
      : [
          (registry) =>
            bootstrapCluster(registry, {
              vocabulary,
              serverUrl: options.serverUrl(),
              serverCaPem: options.serverCa,
              clientCaPem: options.clientCa(),
              requestHeader: options.requestHeader?.(),
              serviceAddress: serviceRanges.addresses[0]?.at(0),
              signal: new AbortController().signal,
            }),
        ],
  });
}

const noFiles = (path: string): never => {
  throw new Error(`${path} cannot be read`);
};

/** What makes requests of its own. */
const outboundParts = (
  { environment: { clock }, scheme: { vocabulary }, proxyCredential }: AssemblyOptions,
  outbound: Outbound,
  resolver: (registry: Registry) => ServiceResolver,
) => ({
  outbound,
  webhooks: (registry: Registry) =>
    createWebhookCaller({ outbound, resolve: resolver(registry), clock, vocabulary }),
  aggregation: (registry: Registry) => ({
    outbound,
    resolve: resolver(registry),
    ...(proxyCredential && { credential: proxyCredential }),
  }),
});
