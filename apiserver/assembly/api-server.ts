import { enabledByDefault } from '../../api/features/features.ts';
import { endpoints, services } from '../../api/groups/core-v1-service.ts';
import type { PermissionsOf } from '../../api/rbac/index.ts';
import { type AdmissionChoice, createAdmissionPlugins } from '../admission/plugin-table.ts';
import type { TolerationSeconds } from '../admission/default-toleration-seconds.ts';
import type { ProxyCredential } from '../aggregation/remote-peer.ts';
import { parseAddressRange } from '../allocation/ranges.ts';
import { type Reservations, createReservations } from '../allocation/reservations.ts';
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
import type { Registry } from '../registry/registry.ts';
import { storagePrefix } from '../registry/resource.ts';
import { createSubresourceHandlers } from '../subresources/handlers.ts';
import type { RequestLimits } from '../request-limits.ts';
import { type ApiServer, type ApiServerOptions, createApiServer } from '../server.ts';
import type { Outbound } from '../../base/http/index.ts';
import type { Live } from '../../base/lifetime/index.ts';
import { type AuthenticationSettings, assembleAuthentication } from './authentication.ts';
import { type Authorization, type AuthorizationSettings, assembleAuthorization } from './authorization.ts';
import { memoizedByRegistry } from './by-registry.ts';

/** What services are given from when nothing else is said, as upstream. */
const defaultServiceRanges: ServiceRanges = {
  addresses: [parseAddressRange('10.0.0.0/24')],
  nodePorts: { first: 30_000, last: 32_767 },
};

/** What goes to the server as it is given. */
type HandedOn = Pick<
  ApiServerOptions,
  | 'scheme'
  | 'environment'
  | 'storage'
  | 'audit'
  | 'allowPrivileged'
  | 'features'
  | 'outbound'
  | 'nodeAgents'
  | 'dialPolicy'
  | 'components'
  | 'showHiddenMetrics'
  | 'requestTimeoutMs'
  | 'shortestWatchMs'
  | 'mounts'
  | 'serves'
>;

/** What an API server of a cluster is put together from; flags and files have been read. */
export interface AssemblyOptions extends AuthenticationSettings, HandedOn {
  /** PEM of the CA of the serving certificate. */
  readonly serverCa: string;
  /** Where clients reach the server; asked once it starts. */
  readonly serverUrl: () => string;
  /**
   * Carries requests to services that flags and files name, such as token issuers: administrators choose those, and may have
   * them on this machine. `outbound` carries those to addresses that clients choose. Default `outbound`.
   */
  readonly configuredOutbound?: Outbound;
  /** Default permissions of the controllers that the cluster runs, of which the start makes roles and bindings. */
  readonly controllerPermissions: readonly PermissionsOf[];
  /** Default RBAC alone. */
  readonly authorization?: AuthorizationSettings;
  /** What services are given from; default 10.0.0.0/24 and ports 30000 to 32767. */
  readonly serviceRanges?: ServiceRanges;
  /** What other API servers know this one by. */
  readonly proxyCredential?: Live<ProxyCredential>;
  /** Published, so that those servers can verify it. */
  readonly requestHeader?: Live<RequestHeader>;
  /** How many requests are served at a time; default 400 that read and 200 that write, shared out fairly. */
  readonly limits?: RequestLimits;
  /** Which admission plugins run, and how they are configured; default those that run by default. */
  readonly admission?: AdmissionChoice;
  /** Reads files that configurations name; default there are none. */
  readonly readFile?: (path: string) => string;
  /** The service that a client configuration file names; default there are none. */
  readonly remoteOf?: (path: string) => Remote;
  /** How long pods stay by default on nodes that fail; default as the plugin has it. */
  readonly tolerationSeconds?: TolerationSeconds;
  /** The store is known to hold what every cluster has, as this server would make it; default the start ensures it. */
  readonly bootstrapped?: boolean;
  /** Stages that follow once it is settled who asks, before limits and authorization; default none. */
  readonly stages?: readonly Stage[];
}

/** Parts that need the registry of the server they are made for: the same one for whoever asks. */
interface RegistryParts {
  readonly policy: (registry: Registry) => Authorization;
  readonly resolver: (registry: Registry) => ServiceResolver;
  readonly reservations: Reservations;
}

/** The API server of a cluster, not started: authentication, authorization, admission and bootstrap in their places. */
export function assembleApiServer(options: AssemblyOptions): ApiServer {
  const { scheme, environment, outbound, serverUrl, configuredOutbound = outbound } = options;
  const { authorization = { modes: ['RBAC'] } } = options;
  const { vocabulary } = scheme;
  const policy = memoizedByRegistry((registry) =>
    assembleAuthorization(registry, authorization, { vocabulary, environment, outbound: configuredOutbound }),
  );
  const resolver = memoizedByRegistry((registry) =>
    createServiceResolver({
      services: registry.reader(services),
      endpoints: registry.reader(endpoints),
      random: environment.random,
    }),
  );
  const { authenticators, identityHeaders, documents, virtual } = assembleAuthentication(
    // Who may do everything must at least be known.
    { ...options, anonymous: (options.anonymous ?? true) && !authorization.modes.includes('AlwaysAllow') },
    { vocabulary, environment, outbound: configuredOutbound, serverUrl },
  );
  const reservations = createReservations({
    storage: options.storage,
    services: storagePrefix(scheme, services),
    log: environment.log,
  });
  return createApiServer({
    ...options,
    storage: reservations.storage,
    ...(outbound && outboundParts(options, outbound, resolver)),
    limits: options.limits ?? { maxInFlight: 400, maxMutatingInFlight: 200, fair: true },
    authenticators,
    identityHeaders,
    documents,
    authorizer: (registry) => policy(registry).authorizer,
    stages: (registry) => [
      createImpersonation({ authorizer: policy(registry).authorizer, vocabulary }),
      ...(options.stages ?? []),
    ],
    admission: admissionOf(options, { policy, resolver, reservations }),
    virtual: (registry, metrics) => [
      ...virtual(registry, metrics),
      ...createAccessReviewHandlers(policy(registry).authorizer, vocabulary),
      ...createSubresourceHandlers({ registry, vocabulary, clock: environment.clock }),
    ],
    bootstrap: options.bootstrapped ? [] : [() => reservations.repair(), bootstrapOf(options)],
  });
}

const noFiles = (path: string): never => {
  throw new Error(`${path} cannot be read`);
};

/** The plugins that were chosen, and those that are part of the server. */
function admissionOf(
  options: AssemblyOptions,
  { policy, resolver, reservations }: RegistryParts,
): Extract<ApiServerOptions['admission'], Function> {
  const { environment, serviceRanges = defaultServiceRanges, tolerationSeconds } = options;
  const { vocabulary } = options.scheme;
  return (registry, metrics, { kept, served }) => [
    ...createAdmissionPlugins(
      {
        ...environment,
        vocabulary,
        scheme: kept,
        served,
        metrics,
        enabled: options.features?.enabled ?? enabledByDefault,
        registry,
        objects: (kind) => registry.reader(kind),
        authorizer: policy(registry).authorizer,
        outbound: options.outbound,
        configuredOutbound: options.configuredOutbound ?? options.outbound,
        resolveService: resolver(registry),
        readFile: options.readFile ?? noFiles,
        remoteOf: options.remoteOf ?? noFiles,
        ...(tolerationSeconds && { tolerationSeconds }),
      },
      options.admission,
    ),
    createEscalationCheck({ ...policy(registry), vocabulary }),
    createServiceAllocator({
      reservations,
      ranges: serviceRanges,
      random: environment.random,
    }),
  ];
}

/** What every cluster has. */
const bootstrapOf =
  (options: AssemblyOptions) =>
  (registry: Registry): Promise<void> =>
    bootstrapCluster(registry, {
      vocabulary: options.scheme.vocabulary,
      serverUrl: options.serverUrl(),
      serverCaPem: options.serverCa,
      clientCaPem: options.clientCa(),
      requestHeader: options.requestHeader?.(),
      controllerPermissions: options.controllerPermissions,
      serviceAddress: (options.serviceRanges ?? defaultServiceRanges).addresses[0]?.at(0),
      signal: new AbortController().signal,
    });

/** What makes requests of its own. */
const outboundParts = (
  { environment: { clock }, scheme: { vocabulary }, proxyCredential }: AssemblyOptions,
  outbound: Outbound,
  resolver: RegistryParts['resolver'],
) => ({
  webhooks: (registry: Registry) =>
    createWebhookCaller({ outbound, resolve: resolver(registry), clock, vocabulary }),
  aggregation: (registry: Registry) => ({
    outbound,
    resolve: resolver(registry),
    ...(proxyCredential && { credential: proxyCredential }),
  }),
});
