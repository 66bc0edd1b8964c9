import { createPublicKey, type KeyObject } from 'node:crypto';
import type { FeatureName } from '../api/features/features.ts';
import type { FeatureGates } from '../base/feature-gates/feature-gates.ts';
import { limitRanges, namespaces, pods, secrets, serviceAccounts } from '../api/groups/core-v1.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../api/groups/rbac-v1.ts';
import type { AnyKind, Scheme } from '../api/kinds/scheme.ts';
import { endpoints, services } from '../api/groups/core-v1-service.ts';
import { createAdmissionPlugins } from '../apiserver/admission/chain.ts';
import type { ComponentCheck } from '../apiserver/aggregation/component-statuses.ts';
import type { ProxyCredential } from '../apiserver/aggregation/remote-peer.ts';
import { parseAddressRange } from '../apiserver/allocation/ranges.ts';
import { createServiceAllocator } from '../apiserver/allocation/service-allocator.ts';
import type { ServiceRanges } from '../apiserver/allocation/service-allocation.ts';
import { anonymous } from '../apiserver/auth/anonymous.ts';
import { createBearerAuthenticator, createTokenChain } from '../apiserver/auth/bearer.ts';
import { createBootstrapTokenAuthenticator } from '../apiserver/auth/bootstrap-token.ts';
import {
  createClientCertificateAuthenticator,
  parseCertificates,
} from '../apiserver/auth/client-certificate.ts';
import { createImpersonation } from '../apiserver/auth/impersonation.ts';
import { createServiceAccountAuthenticator } from '../apiserver/auth/service-account.ts';
import { type TokenEntry, createTokenFileAuthenticator } from '../apiserver/auth/token-file.ts';
import { createTokenRequestHandler } from '../apiserver/auth/token-request.ts';
import { createTokenReviewHandler } from '../apiserver/auth/token-review.ts';
import { selfSubjectReviewHandlers } from '../apiserver/auth/self-subject-review.ts';
import { createAccessReviewHandlers } from '../apiserver/authorization/access-review.ts';
import { createEscalationCheck } from '../apiserver/authorization/escalation.ts';
import { alwaysAllow, alwaysDeny, privileged } from '../apiserver/authorization/fixed.ts';
import { createRbacAuthorizer } from '../apiserver/authorization/rbac.ts';
import { createUnion } from '../apiserver/authorization/union.ts';
import { bootstrapCluster } from '../apiserver/bootstrap/bootstrap.ts';
import type { RequestHeader } from '../apiserver/bootstrap/root-objects.ts';
import { type ServiceResolver, createServiceResolver } from '../apiserver/outbound/service-resolver.ts';
import { createWebhookCaller } from '../apiserver/outbound/webhook-caller.ts';
import type { Registry } from '../apiserver/registry/registry.ts';
import type { Authorizer } from '../apiserver/request.ts';
import { createSubresourceHandlers } from '../apiserver/subresources/handlers.ts';
import { type ApiServer, createApiServer } from '../apiserver/server.ts';
import type { Storage } from '../apiserver/storage/storage.ts';
import type { Environment } from '../base/environment.ts';
import type { Outbound } from '../base/http/outbound.ts';
import { createTokenIssuer } from '../base/tokens/issuer.ts';
import { UsageError } from './flags.ts';

/** What services are given from when nothing else is said, as upstream. */
const defaultServiceRanges: ServiceRanges = {
  addresses: [parseAddressRange('10.0.0.0/24')],
  nodePorts: { first: 30_000, last: 32_767 },
};

/** What an API server of a cluster is put together from; flags and files have been read. */
export interface AssemblyOptions {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly storage: Storage;
  /** PEM bundle that client certificates are verified with. */
  readonly clientCa: string;
  /** PEM of the CA of the serving certificate. */
  readonly serverCa: string;
  /** Where clients reach the server; asked once it starts. */
  readonly serverUrl: () => string;
  /** Signs tokens made by token requests. */
  readonly serviceAccountKey: KeyObject;
  /** Verify service-account tokens; default the public half of `serviceAccountKey`. */
  readonly serviceAccountKeys?: readonly KeyObject[];
  /** Default the vocabulary's. */
  readonly issuer?: string;
  /** Default the issuer. */
  readonly apiAudiences?: readonly string[];
  readonly serviceAccountLookup?: boolean;
  readonly bootstrapTokens?: boolean;
  readonly anonymous?: boolean;
  readonly tokenFile?: readonly TokenEntry[];
  /** In the order they are asked. Default RBAC. */
  readonly authorizationModes?: readonly string[];
  /** What services are given from; default 10.0.0.0/24 and ports 30000 to 32767. */
  readonly serviceRanges?: ServiceRanges;
  /** Which features are on; default as the release has them. */
  readonly features?: FeatureGates<FeatureName>;
  /** Carries requests of the server's own, to webhooks and other API servers; without it there are none. */
  readonly outbound?: Outbound;
  /** What other API servers know this one by. */
  readonly proxyCredential?: ProxyCredential;
  /** Published, so that those servers can verify it. */
  readonly requestHeader?: RequestHeader;
  /** Parts of the cluster whose health component statuses show. */
  readonly components?: readonly ComponentCheck[];
  /** Whether metrics are shown that this release hides and the one before it did not; default not. */
  readonly showHiddenMetrics?: boolean;
  /** Which kinds clients can reach; default all. */
  readonly serves?: (kind: AnyKind) => boolean;
}

/** The API server of a cluster, not started: authentication, authorization, admission and bootstrap in their places. */
export function assembleApiServer(options: AssemblyOptions): ApiServer {
  const { scheme, environment, storage } = options;
  const { vocabulary } = scheme;
  const { clock, random } = environment;
  const { serviceRanges = defaultServiceRanges } = options;
  const issuer = createTokenIssuer({
    privateKey: options.serviceAccountKey,
    issuer: options.issuer ?? vocabulary.issuer,
    names: vocabulary,
  });
  const apiAudiences = options.apiAudiences?.length ? options.apiAudiences : [issuer.issuer];
  const onceFor = memoizedByRegistry;

  const accounts = onceFor((registry) => ({
    vocabulary,
    clock,
    serviceAccounts: registry.reader(serviceAccounts),
    secrets: registry.reader(secrets),
    pods: registry.reader(pods),
    lookup: options.serviceAccountLookup ?? true,
  }));
  const tokens = onceFor((registry) =>
    createTokenChain({
      apiAudiences,
      clock,
      authenticators: [
        ...(options.tokenFile ? [createTokenFileAuthenticator(options.tokenFile)] : []),
        createServiceAccountAuthenticator({
          ...accounts(registry),
          publicKeys: options.serviceAccountKeys ?? [createPublicKey(options.serviceAccountKey)],
          issuers: [issuer.issuer],
          apiAudiences,
        }),
        ...((options.bootstrapTokens ?? true)
          ? [createBootstrapTokenAuthenticator({ secrets: registry.reader(secrets), vocabulary, clock })]
          : []),
      ],
    }),
  );
  const policy = onceFor((registry) => {
    const readers = {
      roles: registry.reader(roles),
      clusterRoles: registry.reader(clusterRoles),
      roleBindings: registry.reader(roleBindings),
      clusterRoleBindings: registry.reader(clusterRoleBindings),
    };
    const rbac = createRbacAuthorizer(readers, vocabulary);
    const modes: { readonly [mode: string]: Authorizer } = {
      RBAC: rbac,
      AlwaysAllow: alwaysAllow,
      AlwaysDeny: alwaysDeny,
    };
    const chosen = (options.authorizationModes ?? ['RBAC']).map((mode) => {
      const authorizer = Object.hasOwn(modes, mode) ? modes[mode] : undefined;
      if (!authorizer)
        throw new UsageError(
          `unknown authorization mode ${JSON.stringify(mode)}: expected ${Object.keys(modes).join(', ')}`,
        );
      return authorizer;
    });
    return { readers, rbac, authorizer: createUnion([privileged, ...chosen]) };
  });

  const resolver = onceFor((registry) =>
    createServiceResolver({
      services: registry.reader(services),
      endpoints: registry.reader(endpoints),
      random,
    }),
  );

  return createApiServer({
    ...(options.components && { components: options.components }),
    ...(options.outbound && outboundParts(options, options.outbound, resolver)),
    scheme,
    environment,
    storage,
    ...(options.serves && { serves: options.serves }),
    ...(options.features && { features: options.features }),
    showHiddenMetrics: options.showHiddenMetrics ?? false,
    authenticators: (registry) => [
      createClientCertificateAuthenticator({ clientCa: parseCertificates(options.clientCa), clock }),
      createBearerAuthenticator(tokens(registry)),
      ...((options.anonymous ?? true) ? [anonymous] : []),
    ],
    authorizer: (registry) => policy(registry).authorizer,
    stages: (registry) => [createImpersonation({ authorizer: policy(registry).authorizer, vocabulary })],
    admission: (registry) => [
      ...createAdmissionPlugins({
        vocabulary,
        clock,
        random,
        authorizer: policy(registry).authorizer,
        namespaces: registry.reader(namespaces),
        serviceAccounts: registry.reader(serviceAccounts),
        limitRanges: registry.reader(limitRanges),
      }),
      createEscalationCheck({ ...policy(registry), vocabulary }),
      createServiceAllocator({ services: registry.reader(services), ranges: serviceRanges, random }),
    ],
    virtual: (registry) => [
      createTokenReviewHandler(tokens(registry), apiAudiences),
      ...selfSubjectReviewHandlers,
      createTokenRequestHandler({ ...accounts(registry), issuer, apiAudiences }),
      ...createAccessReviewHandlers(policy(registry).authorizer, vocabulary),
      ...createSubresourceHandlers({ registry, vocabulary, clock }),
    ],
    bootstrap: [
      (registry) =>
        bootstrapCluster(registry, {
          vocabulary,
          serverUrl: options.serverUrl(),
          serverCaPem: options.serverCa,
          clientCaPem: options.clientCa,
          requestHeader: options.requestHeader,
          serviceAddress: serviceRanges.addresses[0]?.at(0),
          signal: new AbortController().signal,
        }),
    ],
  });
}

/** What makes requests of its own. */
const outboundParts = (
  { environment: { clock }, proxyCredential }: AssemblyOptions,
  outbound: Outbound,
  resolver: (registry: Registry) => ServiceResolver,
) => ({
  webhooks: (registry: Registry) => createWebhookCaller({ outbound, resolve: resolver(registry), clock }),
  aggregation: (registry: Registry) => ({
    outbound,
    resolve: resolver(registry),
    ...(proxyCredential && { credential: proxyCredential }),
  }),
});

/** Parts that several stages share are made once for the one registry there is. */
function memoizedByRegistry<T>(make: (registry: Registry) => T): (registry: Registry) => T {
  const made = new WeakMap<Registry, T>();
  return (registry) => {
    const known = made.get(registry);
    if (known !== undefined) return known;
    const created = make(registry);
    made.set(registry, created);
    return created;
  };
}
