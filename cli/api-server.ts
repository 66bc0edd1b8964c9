import { createPublicKey, type KeyObject } from 'node:crypto';
import { limitRanges, namespaces, pods, secrets, serviceAccounts } from '../api/groups/core-v1.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../api/groups/rbac-v1.ts';
import type { AnyKind, Scheme } from '../api/kinds/scheme.ts';
import { services } from '../api/groups/core-v1-service.ts';
import { createAdmissionPlugins } from '../apiserver/admission/chain.ts';
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
import { createAccessReviewHandlers } from '../apiserver/authorization/access-review.ts';
import { createEscalationCheck } from '../apiserver/authorization/escalation.ts';
import { alwaysAllow, alwaysDeny, privileged } from '../apiserver/authorization/fixed.ts';
import { createRbacAuthorizer } from '../apiserver/authorization/rbac.ts';
import { createUnion } from '../apiserver/authorization/union.ts';
import { bootstrapCluster } from '../apiserver/bootstrap/bootstrap.ts';
import type { Registry } from '../apiserver/registry/registry.ts';
import type { Authorizer } from '../apiserver/request.ts';
import { createSubresourceHandlers } from '../apiserver/subresources/handlers.ts';
import { type ApiServer, createApiServer } from '../apiserver/server.ts';
import type { Storage } from '../apiserver/storage/storage.ts';
import type { Environment } from '../base/environment.ts';
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

  return createApiServer({
    scheme,
    environment,
    storage,
    ...(options.serves && { serves: options.serves }),
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
          serviceAddress: serviceRanges.addresses[0]?.at(0),
          signal: new AbortController().signal,
        }),
    ],
  });
}

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
