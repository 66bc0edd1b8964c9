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

/** Default address and port ranges of Services, as in upstream. */
const defaultServiceRanges: ServiceRanges = {
  addresses: [parseAddressRange('10.0.0.0/24')],
  nodePorts: { first: 30_000, last: 32_767 },
};

/** Options that are passed to the server unchanged. */
type PassedOptions = Pick<
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

/** Settings of a cluster's API server, after flags and files have been read. */
export interface AssemblyOptions extends AuthenticationSettings, PassedOptions {
  /** Certificate authority in PEM that issued the serving certificate. */
  readonly serverCa: string;
  /** Returns the URL at which clients reach the server. Called once the server starts. */
  readonly serverUrl: () => string;
  /**
   * Transport to services that flags and files name, such as token issuers. Administrators choose these
   * services, so they may be on this machine. `outbound` sends requests to addresses that clients choose.
   * Default: `outbound`.
   */
  readonly configuredOutbound?: Outbound;
  /**
   * Default permissions of the cluster's controllers. The corresponding roles and bindings are created at
   * startup.
   */
  readonly controllerPermissions: readonly PermissionsOf[];
  /** Authorization modes and their settings. Default: RBAC alone. */
  readonly authorization?: AuthorizationSettings;
  /** Address and port ranges of Services. Default: 10.0.0.0/24 and ports 30000 to 32767. */
  readonly serviceRanges?: ServiceRanges;
  /** Client certificate that identifies this server to aggregated API servers. */
  readonly proxyCredential?: Live<ProxyCredential>;
  /**
   * Settings that aggregated API servers need to verify `proxyCredential`. They are published in a ConfigMap.
   */
  readonly requestHeader?: Live<RequestHeader>;
  /**
   * Limits on concurrent requests. Default: 400 reads and 200 writes, divided by API priority and fairness.
   */
  readonly limits?: RequestLimits;
  /** Enabled admission plugins and their configuration. Default: the plugins that release 1.24 enables. */
  readonly admission?: AdmissionChoice;
  /** Reads a file that a configuration names. Default: throws. */
  readonly readFile?: (path: string) => string;
  /** Returns the service that a client configuration file names. Default: throws. */
  readonly remoteOf?: (path: string) => Remote;
  /**
   * Time, in seconds, that pods without such tolerations stay on failed nodes. Default: that of the plugin.
   */
  readonly tolerationSeconds?: TolerationSeconds;
  /**
   * True if the store already contains the objects that every cluster has, as this server would create them.
   * Default: false.
   */
  readonly bootstrapped?: boolean;
  /** Stages after impersonation and before limits and authorization. Default: none. */
  readonly stages?: readonly Stage[];
}

/** Objects that are created once for each registry and shared by all their users. */
interface RegistryParts {
  readonly policy: (registry: Registry) => Authorization;
  readonly resolver: (registry: Registry) => ServiceResolver;
  readonly reservations: Reservations;
}

/**
 * Creates the API server of a cluster with authentication, authorization, admission and bootstrap. The caller
 * starts it.
 */
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
    // Mode AlwaysAllow allows every request, so anonymous requests must be rejected, as upstream does.
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

/** Returns a function that creates the chosen plugins and the plugins that every server has. */
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

/** Returns a function that creates the objects that every cluster has. */
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

/** Returns the options for requests to other servers: webhooks and aggregation. */
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
